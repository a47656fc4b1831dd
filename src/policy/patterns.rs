//! Pattern lists: cuts the word of an allow or deny list into its patterns, without losing a character.

use crate::policy::dialect::Separator;

/// A word, cut into patterns.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Patterns {
    /// What stood between the patterns.
    pub separator: char,
    /// The patterns as they stand in the word, white space around them included.
    pub patterns: Vec<String>,
    /// Whether there is no other way to cut it: every parenthesis has its partner, and no second separator stands
    /// between patterns.
    pub certain: bool,
}

impl Patterns {
    /// Cuts `word` at commas outside parentheses; where spaces separate too and there is no such comma, at spaces
    /// outside parentheses.
    #[must_use]
    pub fn split(word: &str, separator: Separator) -> Self {
        let (by_comma, balanced) = cut(word, ',');
        let spaces = separator == Separator::CommaOrSpace;
        if by_comma.len() > 1 || !spaces {
            let mixed = spaces && by_comma.iter().any(|pattern| cut(pattern.trim(), ' ').0.len() > 1);
            return Self { separator: ',', patterns: by_comma, certain: balanced && !mixed };
        }
        Self { separator: ' ', patterns: cut(word, ' ').0, certain: balanced }
    }

    /// The word again.
    #[must_use]
    pub fn join(&self) -> String {
        self.patterns.join(self.separator.encode_utf8(&mut [0; 4]))
    }
}

/// The parts between separators outside parentheses, and whether every parenthesis has its partner.
fn cut(word: &str, separator: char) -> (Vec<String>, bool) {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    let mut balanced = true;
    for c in word.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => balanced = false,
            ')' => depth -= 1,
            _ => {}
        }
        if c == separator && depth == 0 {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    (parts, balanced && depth == 0)
}
