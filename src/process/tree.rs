//! Who descends from whom, as the kernel tells it in `/proc`.

use std::collections::BTreeMap;
use std::fs;

/// A process at the moment of looking.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Process {
    /// Its id.
    pub id: i32,
    /// Its parent's id.
    pub parent: i32,
    /// The name of its executable, at most 15 bytes of it.
    pub name: String,
    /// Whether it has ended and waits to be reaped.
    pub zombie: bool,
}

/// Every descendant of `root`, zombies included, `root` itself not.
#[must_use]
pub fn descendants(root: i32) -> Vec<Process> {
    let mut children: BTreeMap<i32, Vec<Process>> = BTreeMap::new();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    for entry in entries.flatten() {
        let id = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok());
        // A process that goes while we look is no descendant any more.
        let stat = id.and_then(|_| fs::read(entry.path().join("stat")).ok());
        if let Some(mut process) = id.zip(stat).and_then(|(id, stat)| parse(id, &stat)) {
            // A process whose first thread has ended looks dead while others of it go on.
            let tasks = || fs::read_dir(entry.path().join("task")).map_or(0, Iterator::count);
            process.zombie = process.zombie && tasks() <= 1;
            children.entry(process.parent).or_default().push(process);
        }
    }
    let mut found = Vec::new();
    let mut todo = vec![root];
    while let Some(parent) = todo.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            todo.push(child.id);
            found.push(child);
        }
    }
    found
}

/// Reads `id (name) state parent …`; the name may hold anything, parentheses and line feeds too.
fn parse(id: i32, stat: &[u8]) -> Option<Process> {
    let stat = String::from_utf8_lossy(stat);
    let (open, close) = (stat.find('(')?, stat.rfind(')')?);
    let mut fields = stat.get(close + 1..)?.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let name = stat.get(open + 1..close)?.to_owned();
    Some(Process { id, parent, name, zombie: matches!(state, "Z" | "X") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_spaces_is_no_other_field() {
        let process = parse(7, b"7 (a) R 1 (b) S 42 7 7 0").unwrap();
        assert_eq!((process.parent, process.zombie, process.name.as_str()), (42, false, "a) R 1 (b"));
    }
}
