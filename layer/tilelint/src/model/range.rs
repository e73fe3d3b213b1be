//! Which frames of a program are judged.

use std::fmt;

/// Frames by their numbers, which count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRange {
    /// The first.
    pub first: u64,
    /// The one behind the last; `None` where there is no last.
    pub end: Option<u64>,
}

impl FrameRange {
    /// Every frame.
    pub const ALL: Self = Self { first: 0, end: None };

    /// Reads `10..20` (10 to 19), `10..`, `..20` or `all`.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and how ranges are written.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::ALL);
        }
        let number = |text: &str, none: Option<u64>| match text.trim() {
            "" => Some(none),
            digits => digits.parse().ok().map(Some),
        };
        let parts =
            text.split_once("..").filter(|(first, end)| !(first.is_empty() && end.is_empty()));
        let range =
            parts.and_then(|(first, end)| Some((number(first, Some(0))??, number(end, None)?)));
        let Some((first, end)) = range else {
            return Err(format!(
                "`{text}` is no range of frames; write 10..20 for frames 10 to 19, 10.., ..20 or \
                 all"
            ));
        };
        if end.is_some_and(|end| end <= first) {
            return Err(format!("`{text}` holds no frame: 10..20 are frames 10 to 19"));
        }
        Ok(Self { first, end })
    }

    /// The frame is one of them.
    pub fn contains(&self, frame: u64) -> bool {
        frame >= self.first && self.end.is_none_or(|end| frame < end)
    }

    /// How many there are; `None` where there is no last.
    pub fn len(&self) -> Option<u64> {
        self.end.map(|end| end.saturating_sub(self.first))
    }

    /// No frame is one of them.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }
}

impl fmt::Display for FrameRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.first, self.end) {
            (0, None) => f.write_str("all"),
            (first, None) => write!(f, "{first}.."),
            (first, Some(end)) => write!(f, "{first}..{end}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_written() {
        let cases = [
            ("10..20", "10..20"),
            ("10..", "10.."),
            ("..20", "0..20"),
            ("0..", "all"),
            ("all", "all"),
            (" 3 .. 4 ", "3..4"),
        ];
        for (text, shown) in cases {
            assert_eq!(FrameRange::parse(text).map(|r| r.to_string()).as_deref(), Ok(shown));
        }
        let range = FrameRange::parse("10..20").expect("is right");
        assert_eq!([9, 10, 19, 20].map(|f| range.contains(f)), [false, true, true, false]);
        assert_eq!(range.len(), Some(10));
    }

    #[test]
    fn what_is_no_range_says_how_ranges_are_written() {
        for text in ["", "10", "..", "a..b", "-1..3", "1..2..3", "1.5..2", "10-20"] {
            let error = FrameRange::parse(text).expect_err(text);
            assert!(error.contains("is no range of frames; write 10..20"), "{error}");
        }
        for text in ["20..10", "5..5", "..0"] {
            let error = FrameRange::parse(text).expect_err(text);
            assert!(error.contains("holds no frame"), "{error}");
        }
    }
}
