//! Listings with random mistakes: they are refused, or read and printed without loss.

use tilelint::call::Entry;
use tilelint::call::listing::{parse, print};

use crate::{FULL, SHORT, VERBS};

/// A small generator of numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// Changes a few lines: drops, doubles or swaps lines and words, or exchanges values.
fn mutated(text: &str, numbers: &mut Numbers) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let values = [
        "?",
        "none",
        "-",
        "0",
        "4294967295",
        "-1",
        "0xffffffffffffffff",
        "on",
        "x",
        "0..4294967295",
        "4294967295x4294967295",
        "é",
        "\"",
        "1,2,3",
        "@",
        "color@1/1",
        "\"é\"",
        "99999999999999999999",
    ];
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(lines.len());
        match numbers.below(6) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let other = numbers.below(lines.len());
                lines.swap(at, other);
            }
            kind => {
                let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
                let word = numbers.below(words.len());
                let value = values[numbers.below(values.len())];
                match (kind, words[word].split_once('=')) {
                    (3, _) => drop(words.remove(word)),
                    (_, Some((key, _))) => words[word] = format!("{key}={value}"),
                    (_, None) => words[word] = value.to_owned(),
                }
                lines[at] = words.join(" ");
            }
        }
    }
    lines.join("\n")
}

/// The first place where two entries differ, and which lines were changed.
fn difference(a: &Entry, b: &Entry, original: &str, text: &str) -> String {
    let (a, b) = (format!("{a:?}"), format!("{b:?}"));
    let at = a.bytes().zip(b.bytes()).position(|(x, y)| x != y).unwrap_or(0).saturating_sub(120);
    let part = |text: &str| {
        String::from_utf8_lossy(&text.as_bytes()[at..]).chars().take(240).collect::<String>()
    };
    let new: Vec<&str> = text.lines().filter(|l| !original.contains(*l)).collect();
    format!("{}\n{}\nchanged: {new:#?}", part(&a), part(&b))
}

#[test]
fn whatever_is_read_round_trips() {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let (mut read, mut refused) = (0, 0);
    for round in 0..1500 {
        let original = [SHORT, FULL, VERBS][round % 3];
        let text = mutated(original, &mut numbers);
        let Ok(listing) = parse(&text) else {
            refused += 1;
            continue;
        };
        read += 1;
        let printed = print(&listing.header, &listing.entries);
        let again = parse(&printed).unwrap_or_else(|e| {
            let line = printed.lines().nth(e.line as usize - 1).unwrap_or_default();
            let new: Vec<&str> = text.lines().filter(|l| !original.contains(*l)).collect();
            panic!("{e}\n{line}\nchanged: {new:#?}")
        });
        for (a, b) in listing.entries.iter().zip(&again.entries) {
            assert!(a == b, "{}", difference(a, b, original, &text));
        }
        assert_eq!(listing.entries.len(), again.entries.len(), "{printed}\nof\n{text}");
    }
    assert!(read > 150 && refused > 150, "{read} read, {refused} refused");
}
