//! Playing a listing under the layer gives the findings of linting it: from text through the
//! loader, the layer and the model, on the null driver.

use std::sync::atomic::{AtomicUsize, Ordering};

use tilelint::rule::Rule;
use tilelint::rules;
use tilelint_tests::page;
use tilelint_tests::played::{Stage, linted};

/// A listing to be played.
struct Piece {
    name: String,
    text: String,
    rule: Option<&'static Rule>,
}

fn pieces_of_pages() -> Vec<Piece> {
    let mut pieces = Vec::new();
    for rule in rules::all() {
        for (line, info, text) in page::listings(rule.page) {
            let header = format!("calls version=1{}", info.strip_prefix("calls").unwrap_or(""));
            pieces.push(Piece {
                name: format!("{}-{line}", rule.name),
                text: format!("{header}\n{text}"),
                rule: Some(rule),
            });
        }
    }
    pieces
}

/// Plays every piece, on as many threads as the machine has.
fn play_all(pieces: &[Piece]) -> Vec<String> {
    let stage = Stage::new();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let work = || {
        let mut failures = Vec::new();
        while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(failure) = play(&stage, piece) {
                failures.push(format!("{}: {failure}", piece.name));
            }
        }
        failures
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|t| t.join().expect("a player thread")).collect()
    })
}

fn play(stage: &Stage, piece: &Piece) -> Result<(), String> {
    let (listing, linted) = linted(&piece.text, piece.rule, &page::listings_folder())?;
    let played = stage.play(&piece.name, &listing, &piece.text, piece.rule, None)?;
    let mut difference = String::new();
    for told in linted.iter().filter(|told| !played.contains(told)) {
        difference += &format!("\n  only linted: {} {}", told.rule, told.text);
    }
    for told in played.iter().filter(|told| !linted.contains(told)) {
        difference += &format!("\n  only played: {} {}", told.rule, told.text);
    }
    if difference.is_empty() { Ok(()) } else { Err(difference) }
}

#[test]
fn every_listing_of_every_page_says_the_same_when_it_is_played() {
    let pieces = pieces_of_pages();
    assert!(pieces.len() >= 2 * rules::all().count(), "pages have a bad and a good listing each");
    let failures = play_all(&pieces);
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        pieces.len(),
        failures.join("\n")
    );
}
