//! Embeds the catalogue: every `fixtures/cases/<area>/<name>.toml` becomes one entry of a table in the binary.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let cases = root.join("fixtures/cases");
    println!("cargo::rerun-if-changed={}", cases.display());
    let mut table = String::from("&[\n");
    for area in sorted(&cases)?.iter().filter(|path| path.is_dir()) {
        println!("cargo::rerun-if-changed={}", area.display());
        for file in sorted(area)?.iter().filter(|path| path.extension().is_some_and(|ext| ext == "toml")) {
            let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            writeln!(table, "    ({:?}, include_str!({file:?})),", format!("{}/{}", name(area), name(file)))
                .map_err(io::Error::other)?;
        }
    }
    table.push(']');
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("cases.rs"), table)
}

fn sorted(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
