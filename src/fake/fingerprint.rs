//! A short name for bytes that are too long to be told: FNV-1a, 64 bits. Two ends of a pipe compare it; nobody
//! attacks it, since a fake and its harness are the same program.

/// The fingerprint of what was pushed so far.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// The fingerprint of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut print = Self::default();
        print.push(bytes);
        print
    }

    /// The fingerprint of words, which differs when a boundary between two of them moves.
    #[must_use]
    pub fn of_words<'a>(words: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut print = Self::default();
        for word in words {
            print.push(word);
            print.push(&[0]);
        }
        print
    }

    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    /// As it stands in a record.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }
}
