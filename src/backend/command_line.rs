//! A command line as a person may read it, whatever its words hold.

use std::fmt::{self, Write as _};

/// Words of a command, printed so that a shell would read them back and a terminal is not disturbed.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct CommandLine(Vec<String>);

impl CommandLine {
    /// The command of these words.
    #[must_use]
    pub fn new(words: &[String]) -> Self {
        Self(words.to_vec())
    }

    /// The words, program first.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_char(' ')?;
            }
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
            if !word.is_empty() && word.chars().all(plain) {
                f.write_str(word)?;
            } else if word.chars().any(char::is_control) {
                // `$'…'` is how a shell writes what cannot be shown.
                f.write_str("$'")?;
                for c in word.chars() {
                    match c {
                        '\'' | '\\' => write!(f, "\\{c}")?,
                        '\n' => f.write_str("\\n")?,
                        c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
                        c => f.write_char(c)?,
                    }
                }
                f.write_char('\'')?;
            } else {
                write!(f, "'{}'", word.replace('\'', r"'\''"))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_as_a_shell_reads_them() {
        let line =
            CommandLine::new(&["a".into(), String::new(), "b c".into(), "it's".into(), "\u{1b}[2J\n".into()]);
        assert_eq!(line.to_string(), r"a '' 'b c' 'it'\''s' $'\u001b[2J\n'");
    }
}
