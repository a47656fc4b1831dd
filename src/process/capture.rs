//! What a process said, in bounded memory.

/// Keeps everything up to a cap, and remembers that there was more.
#[derive(Debug)]
pub(super) struct Capped {
    bytes: Vec<u8>,
    cap: usize,
    overflowed: bool,
}

impl Capped {
    pub(super) fn new(cap: usize) -> Self {
        Self { bytes: Vec::new(), cap, overflowed: false }
    }

    /// Takes bytes in, as many as fit.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let room = self.cap - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.overflowed |= bytes.len() > room;
    }

    /// Whether there was ever more than the cap.
    pub(super) fn overflowed(&self) -> bool {
        self.overflowed
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Keeps the head and the tail of a stream of any length.
#[derive(Debug)]
pub(super) struct HeadAndTail {
    head: Vec<u8>,
    tail: Vec<u8>,
    cap: usize,
    dropped: u64,
}

impl HeadAndTail {
    /// Keeps at most `cap` bytes of the head and `cap` of the tail; a little more while in use.
    pub(super) fn new(cap: usize) -> Self {
        Self { head: Vec::new(), tail: Vec::new(), cap, dropped: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let room = self.cap - self.head.len();
        let (head, rest) = bytes.split_at(bytes.len().min(room));
        self.head.extend_from_slice(head);
        self.tail.extend_from_slice(rest);
        // Twice the cap before it is cut back, so that a byte is moved once on average.
        if self.tail.len() / 2 > self.cap {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let excess = self.tail.len().saturating_sub(self.cap);
        self.tail.drain(..excess);
        self.dropped += excess as u64;
    }

    /// Head and tail as text, cut on character boundaries, with a line between them that says how much is missing.
    /// Bytes that are no UTF-8 are shown as U+FFFD.
    pub(super) fn into_text(mut self) -> String {
        self.cut();
        if self.dropped == 0 {
            self.head.append(&mut self.tail);
            return String::from_utf8_lossy(&self.head).into_owned();
        }
        let mut dropped = self.dropped;
        let whole = whole_chars(&self.head);
        dropped += (self.head.len() - whole) as u64;
        let start = self.tail.iter().take(3).take_while(|&&byte| is_continuation(byte)).count();
        dropped += start as u64;
        format!(
            "{}\n[… {dropped} bytes left out …]\n{}",
            String::from_utf8_lossy(&self.head[..whole]),
            String::from_utf8_lossy(&self.tail[start..])
        )
    }
}

/// The length of `bytes` without a character that is cut off at its end.
fn whole_chars(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        // A fault elsewhere is the process's own; only the end was cut by us.
        Err(_) => {
            let lead = bytes.iter().rev().take(3).position(|&byte| byte >= 0xC0).map_or(0, |at| at + 1);
            let cut = bytes.len() - lead;
            if lead > 0 && std::str::from_utf8(&bytes[cut..]).is_err() { cut } else { bytes.len() }
        }
        Ok(_) => bytes.len(),
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cut_stream_of_text_stays_text(text in "\\PC{0,200}", chunk in 1usize..50, cap in 4usize..40) {
            let mut kept = HeadAndTail::new(cap);
            text.as_bytes().chunks(chunk).for_each(|bytes| kept.push(bytes));
            let shown = kept.into_text();
            let replaced = char::REPLACEMENT_CHARACTER;
            prop_assert!(!shown.contains(replaced) || text.contains(replaced));
            if text.len() <= 2 * cap {
                prop_assert_eq!(&shown, &text);
            } else {
                prop_assert!(shown.contains("bytes left out"));
                prop_assert!(shown.len() <= 2 * cap + 60);
            }
        }
    }

    #[test]
    fn a_cap_is_exact() {
        let mut capped = Capped::new(3);
        capped.push(b"abc");
        assert!(!capped.overflowed());
        capped.push(b"d");
        assert!(capped.overflowed());
        capped.push(b"");
        assert!(capped.overflowed());
        assert_eq!(capped.into_bytes(), b"abc");
    }
}
