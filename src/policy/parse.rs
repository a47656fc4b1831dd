//! The parser: an argv and a dialect become one typed entry a word, from which the argv can be rendered again.

use crate::policy::dialect::{Arity, Dialect, Family, Flag, Takes};
use crate::policy::patterns::Patterns;

/// An argv, read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ParsedArgv {
    /// One entry a word, in order.
    pub words: Vec<Word>,
    /// Every use of a flag that the dialect knows, in order.
    pub uses: Vec<FlagUse>,
}

/// What a word is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Word {
    /// Stands before the program that the dialect describes, or in its place.
    Wrapper(String),
    /// The program that the dialect describes.
    Program(String),
    /// The sub-command that the dialect asks for.
    Subcommand(String),
    /// A word that is read as one or more flags.
    Flag(FlagWord),
    /// A word that a flag before it takes as its value.
    Value {
        /// The word.
        text: String,
        /// Which of [`ParsedArgv::uses`] takes it.
        of: usize,
    },
    /// Any other word.
    Operand(String),
    /// `--`, which ends the flags.
    Separator,
    /// A word after `--`.
    Trailing(String),
}

/// A word that is read as flags: one, or a cluster of short ones.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FlagWord {
    /// The flags in it; more than one only for a cluster.
    pub parts: Vec<FlagPart>,
    /// What follows them in the same word.
    pub tail: Option<Tail>,
}

/// One flag of a word.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FlagPart {
    /// The flag, with its dashes; in a cluster each with a dash of its own.
    pub spelling: String,
    /// Which of [`ParsedArgv::uses`] it is; `None` for a flag that the dialect does not know.
    pub usage: Option<usize>,
}

/// What follows a flag in the same word.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Tail {
    /// Whether a `=` stands between.
    pub equals: bool,
    /// The rest.
    pub text: String,
    /// What becomes of it.
    pub kind: TailKind,
}

/// What becomes of the rest of a flag's word.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum TailKind {
    /// It is the flag's value.
    Value,
    /// The parser refuses it.
    Refused,
    /// It follows a flag that the dialect does not know.
    Unknown,
}

/// One use of a flag.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FlagUse {
    /// The flag's first name in the dialect.
    pub flag: String,
    /// How it is spelled here.
    pub spelling: String,
    /// The index of its word in the argv.
    pub word: usize,
    /// What it takes.
    pub values: Vec<FlagValue>,
    /// Whether the parser refuses the word: a switch with `=`, or `=` where there is no such form.
    pub refused: bool,
    /// Whether a value is due and there is none.
    pub missing: bool,
}

/// What a flag takes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FlagValue {
    /// The value.
    pub text: String,
    /// The index of the word that it stands in.
    pub word: usize,
    /// Whether it stands in the flag's own word.
    pub attached: bool,
}

/// A pattern list of an argv.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PatternList {
    /// The flag's first name in the dialect.
    pub flag: String,
    /// The index of the word that it stands in.
    pub word: usize,
    /// What stands before the list in the same word, for example `--allow-tool=`.
    pub prefix: String,
    /// The list.
    pub patterns: Patterns,
}

impl PatternList {
    /// The word of the argv again.
    #[must_use]
    pub fn render(&self) -> String {
        format!("{}{}", self.prefix, self.patterns.join())
    }
}

impl Word {
    /// The word as it stands in the argv.
    #[must_use]
    pub fn render(&self) -> String {
        match self {
            Self::Flag(word) => word.render(),
            Self::Separator => "--".to_owned(),
            Self::Wrapper(text)
            | Self::Program(text)
            | Self::Subcommand(text)
            | Self::Value { text, .. }
            | Self::Operand(text)
            | Self::Trailing(text) => text.clone(),
        }
    }
}

impl FlagWord {
    fn render(&self) -> String {
        let mut word = self.head();
        if let Some(tail) = &self.tail {
            word.push_str(if tail.equals { "=" } else { "" });
            word.push_str(&tail.text);
        }
        word
    }

    /// The flags without what follows them.
    fn head(&self) -> String {
        let mut parts = self.parts.iter().map(|part| part.spelling.as_str());
        let mut head = parts.next().unwrap_or_default().to_owned();
        for spelling in parts {
            head.push_str(spelling.strip_prefix('-').unwrap_or(spelling));
        }
        head
    }
}

impl ParsedArgv {
    /// The argv again, word for word.
    #[must_use]
    pub fn render(&self) -> Vec<String> {
        self.words.iter().map(Word::render).collect()
    }

    /// Every use of this flag, whatever its spelling.
    pub fn uses_of<'a>(&'a self, flag: &'a Flag) -> impl Iterator<Item = &'a FlagUse> {
        self.uses.iter().filter(|usage| usage.flag == flag.canonical())
    }

    /// The index of the program that the dialect describes; `None` when no word names it.
    #[must_use]
    pub fn program(&self) -> Option<usize> {
        self.words.iter().position(|word| matches!(word, Word::Program(_)))
    }

    /// Every word that is a pattern list, and how it splits.
    #[must_use]
    pub fn pattern_lists(&self, dialect: &Dialect) -> Vec<PatternList> {
        let mut lists = Vec::new();
        for usage in self.uses.iter().filter(|usage| !usage.refused) {
            let Some(flag) = dialect.flag(&usage.flag).filter(|flag| flag.takes() == Some(Takes::Patterns))
            else {
                continue;
            };
            for value in &usage.values {
                let prefix = match self.words.get(value.word) {
                    Some(Word::Flag(word)) if value.attached => {
                        let equals = word.tail.as_ref().is_some_and(|tail| tail.equals);
                        format!("{}{}", word.head(), if equals { "=" } else { "" })
                    }
                    _ => String::new(),
                };
                lists.push(PatternList {
                    flag: usage.flag.clone(),
                    word: value.word,
                    prefix,
                    patterns: Patterns::split(&value.text, flag.separator),
                });
            }
        }
        lists
    }
}

/// Reads an argv, the program being its first word, as the agent's own parser would.
///
/// Nothing fails: a word that the dialect does not know becomes a flag without a use, or an operand.
#[must_use]
pub fn parse(dialect: &Dialect, argv: &[String]) -> ParsedArgv {
    let mut parser = Parser { dialect, argv, words: Vec::with_capacity(argv.len()), uses: Vec::new() };
    parser.run();
    ParsedArgv { words: parser.words, uses: parser.uses }
}

/// Whether `word` is the program that the dialect describes, with or without its directory.
fn is_program(dialect: &Dialect, word: &str) -> bool {
    word.rsplit('/').next() == Some(dialect.program())
}

/// Whether a parser takes `word` for a flag rather than for a value.
pub(crate) fn begins_as_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

struct Parser<'a> {
    dialect: &'a Dialect,
    argv: &'a [String],
    words: Vec<Word>,
    uses: Vec<FlagUse>,
}

impl Parser<'_> {
    fn run(&mut self) {
        match self.argv.iter().position(|word| is_program(self.dialect, word)) {
            Some(program) => {
                self.words.extend(self.argv[..program].iter().cloned().map(Word::Wrapper));
                self.words.push(Word::Program(self.argv[program].clone()));
            }
            None => self.words.extend(self.argv.first().cloned().map(Word::Wrapper)),
        }
        let needed = self.dialect.subcommand().map(|subcommand| subcommand.needed.as_str());
        let mut operands = 0;
        // Every pass pushes at least the word at hand, so the loop ends.
        while let Some(word) = self.argv.get(self.words.len()) {
            if word == "--" {
                self.words.push(Word::Separator);
                let rest = &self.argv[self.words.len()..];
                self.words.extend(rest.iter().cloned().map(Word::Trailing));
            } else if begins_as_flag(word) {
                self.flag_word(word);
            } else {
                let subcommand = operands == 0 && needed == Some(word.as_str());
                operands += 1;
                self.words.push(if subcommand {
                    Word::Subcommand(word.clone())
                } else {
                    Word::Operand(word.clone())
                });
            }
        }
    }

    fn flag_word(&mut self, word: &str) {
        if self.dialect.family() != Family::Pi && !word.starts_with("--") {
            return self.cluster(word);
        }
        let (spelling, after) = match word.split_once('=') {
            Some((spelling, after)) => (spelling, Some(after)),
            None => (word, None),
        };
        let Some(flag) = self.dialect.flag(spelling) else {
            let part = FlagPart { spelling: spelling.to_owned(), usage: None };
            let tail =
                after.map(|text| Tail { equals: true, text: text.to_owned(), kind: TailKind::Unknown });
            return self.words.push(Word::Flag(FlagWord { parts: vec![part], tail }));
        };
        self.known(Vec::new(), flag, spelling, after.map(|text| (true, text)));
    }

    /// `-abc`: switches, until one of them takes the rest as its value or is not known.
    fn cluster(&mut self, word: &str) {
        let mut parts = Vec::new();
        let mut letters = word[1..].chars();
        while let Some(letter) = letters.next() {
            let spelling = format!("-{letter}");
            let rest = letters.as_str();
            let Some(flag) = self.dialect.flag(&spelling) else {
                // A word whose first letter is not known is one name, as far as anybody can tell.
                let whole = parts.is_empty();
                let (spelling, equals, text) = match word.split_once('=') {
                    Some((name, text)) if whole => (name, true, text),
                    _ if whole => (word, false, ""),
                    _ => (spelling.as_str(), false, rest),
                };
                let tail = (equals || !text.is_empty()).then(|| Tail {
                    equals,
                    text: text.to_owned(),
                    kind: TailKind::Unknown,
                });
                parts.push(FlagPart { spelling: spelling.to_owned(), usage: None });
                return self.words.push(Word::Flag(FlagWord { parts, tail }));
            };
            let clap_equals =
                if self.dialect.family() == Family::Clap { rest.strip_prefix('=') } else { None };
            if flag.arity == Arity::Switch && !rest.is_empty() && !rest.starts_with('=') {
                parts.push(FlagPart { spelling: spelling.clone(), usage: Some(self.uses.len()) });
                self.record(flag, &spelling);
                continue;
            }
            let after = match clap_equals {
                Some(text) => Some((true, text)),
                None if flag.arity == Arity::Switch && rest.starts_with('=') => Some((true, &rest[1..])),
                None if rest.is_empty() => None,
                None => Some((false, rest)),
            };
            return self.known(parts, flag, &spelling, after);
        }
    }

    /// The last flag of a word, with what follows it in the word; takes further words where it can.
    fn known(&mut self, mut parts: Vec<FlagPart>, flag: &Flag, spelling: &str, after: Option<(bool, &str)>) {
        let at = self.words.len();
        let usage = self.uses.len();
        self.record(flag, spelling);
        parts.push(FlagPart { spelling: spelling.to_owned(), usage: Some(usage) });
        let refused = after.is_some() && (flag.arity == Arity::Switch || self.dialect.family() == Family::Pi);
        let tail = after.map(|(equals, text)| Tail {
            equals,
            text: text.to_owned(),
            kind: if refused { TailKind::Refused } else { TailKind::Value },
        });
        self.words.push(Word::Flag(FlagWord { parts, tail }));
        if let Some((_, text)) = after {
            let value = FlagValue { text: text.to_owned(), word: at, attached: true };
            self.uses[usage].refused = refused;
            self.uses[usage].values.push(value);
            return;
        }
        let any_word = self.dialect.family() != Family::Clap;
        match flag.arity {
            Arity::Switch => {}
            Arity::Optional => {
                self.take(usage, false);
            }
            Arity::One | Arity::Csv => self.uses[usage].missing = !self.take(usage, any_word),
            Arity::Many => {
                self.uses[usage].missing = !self.take(usage, any_word);
                while !self.uses[usage].missing && self.take(usage, false) {}
            }
        }
    }

    /// Gives the next word to a flag, a word that begins as a flag only where `any` word will do.
    fn take(&mut self, usage: usize, any: bool) -> bool {
        let at = self.words.len();
        let Some(word) = self.argv.get(at).filter(|word| any || !begins_as_flag(word)) else {
            return false;
        };
        self.words.push(Word::Value { text: word.clone(), of: usage });
        self.uses[usage].values.push(FlagValue { text: word.clone(), word: at, attached: false });
        true
    }

    fn record(&mut self, flag: &Flag, spelling: &str) {
        self.uses.push(FlagUse {
            flag: flag.canonical().to_owned(),
            spelling: spelling.to_owned(),
            word: self.words.len(),
            values: Vec::new(),
            refused: false,
            missing: false,
        });
    }
}
