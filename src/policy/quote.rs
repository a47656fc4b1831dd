//! Words in messages: hostile ones are escaped, long ones are cut.

const LONGEST: usize = 120;

/// The word in backticks, or, where it holds anything that print could mistake, as a Rust string.
pub(crate) fn quote(word: &str) -> String {
    let cut: String = word.chars().take(LONGEST).collect();
    let more = if cut.len() < word.len() { "…" } else { "" };
    let plain = !cut.is_empty() && cut.chars().all(|c| c == ' ' || (c.is_ascii_graphic() && c != '`'));
    if plain { format!("`{cut}`{more}") } else { format!("{cut:?}{more}") }
}

/// A sentence of the table as the end of another: without its full stop and, names aside, its capital letter.
pub(crate) fn clause(sentence: &str) -> String {
    let sentence = sentence.trim_end_matches('.');
    let mut letters = sentence.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            first.to_lowercase().chain(sentence.chars().skip(1)).collect()
        }
        _ => sentence.to_owned(),
    }
}
