//! The listings of the rules' pages, each to be linted and to be played.

use std::sync::atomic::{AtomicUsize, Ordering};

use tilelint::call::listing::Listing;
use tilelint::rule::Rule;
use tilelint::rules;

use crate::page;
use crate::played::{Told, linted};

/// Rules that suppose something of shaders whose code is not known. A listing's built-in shaders
/// have none; when it is played they have, and read the first texel, which refutes it.
const SUPPOSE: [&str; 2] = ["separable-pass", "depth-copy-for-read"];

/// A listing to be played.
pub struct Piece {
    /// Rule and position on its page.
    pub name: String,
    /// The listing.
    pub text: String,
    /// The rule.
    pub rule: Option<&'static Rule>,
}

impl Piece {
    /// Lints it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn linted(&self) -> Result<(Listing, Vec<Told>), String> {
        linted(&self.text, self.rule, &page::listings_folder())
    }
}

/// The listings of all pages.
pub fn of_pages() -> Vec<Piece> {
    let mut pieces = Vec::new();
    for rule in rules::all() {
        for (number, (_, info, text)) in (1..).zip(page::listings(rule.page)) {
            let header = format!("calls version=1{}", info.strip_prefix("calls").unwrap_or(""));
            pieces.push(Piece {
                name: format!("{}-{number}", rule.name),
                text: format!("{header}\n{text}"),
                rule: Some(rule),
            });
        }
    }
    pieces
}

/// Does something with every piece, on as many threads as the machine has, and returns what is
/// wrong, each with its piece.
pub fn each(
    pieces: &[Piece],
    act: impl Fn(&Piece) -> Result<(), String> + Sync,
) -> Vec<(String, String)> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let work = || {
        let mut failures = Vec::new();
        while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(failure) = act(piece) {
                failures.push((piece.name.clone(), failure));
            }
        }
        failures
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|t| t.join().expect("a player thread")).collect()
    })
}

/// Says where what was linted and what was played differ.
///
/// # Errors
/// The findings that only one of them has.
pub fn same(linted: &[Told], played: &[Told]) -> Result<(), String> {
    let mut difference = String::new();
    let refuted =
        |told: &Told| SUPPOSE.contains(&&*told.rule) && told.text.contains("confidence=\"likely\"");
    for told in linted.iter().filter(|told| !played.contains(told) && !refuted(told)) {
        difference += &format!("\n  only linted: {} {}", told.rule, told.text);
    }
    for told in played.iter().filter(|told| !linted.contains(told)) {
        difference += &format!("\n  only played: {} {}", told.rule, told.text);
    }
    if difference.is_empty() { Ok(()) } else { Err(difference) }
}
