//! Playing a listing on a driver that renders gives the findings of linting it: the judgement is
//! for the target, so that the driver does not matter. What such a driver lacks is its own word.

use std::collections::BTreeMap;
use std::sync::Mutex;

use tilelint_tests::pieces::{self, Piece, same};
use tilelint_tests::played::Stage;

/// What was seen of all pieces.
#[derive(Default)]
struct Seen {
    /// Pieces that were played.
    played: usize,
    /// What the driver lacks for the others.
    lacks: BTreeMap<String, usize>,
    /// What the validation layer says, by its name, and in which pieces.
    invalid: BTreeMap<String, Vec<String>>,
}

fn play(stage: &Stage, piece: &Piece, seen: &Mutex<Seen>) -> Result<(), String> {
    let (listing, linted) = piece.linted()?;
    let played = stage.play_printing(&piece.name, &listing, &piece.text, piece.rule, None);
    let mut seen = seen.lock().expect("no thread panicked");
    match played {
        Ok((played, printed)) => {
            seen.played += 1;
            for line in printed.lines().filter(|line| line.contains("Validation Error")) {
                let name = line.split(['(', ' ']).next().unwrap_or_default().to_owned();
                let pieces = seen.invalid.entry(name).or_default();
                if pieces.last() != Some(&piece.name) {
                    pieces.push(piece.name.clone());
                }
            }
            same(&linted, &played)
        }
        Err(failure) => {
            let Some((_, lacks)) = failure.split_once("the driver lacks: ") else {
                return Err(failure);
            };
            *seen.lacks.entry(lacks.trim().to_owned()).or_default() += 1;
            Ok(())
        }
    }
}

#[test]
fn listings_say_the_same_on_a_driver_that_renders() {
    let pieces = pieces::of_pages();
    let (stage, seen) = (Stage::rasterising(), Mutex::default());
    let failures = pieces::each(&pieces, |piece| play(&stage, piece, &seen));
    let seen = seen.into_inner().expect("no thread panicked");
    for (lacks, count) in &seen.lacks {
        println!("{count} not played: the driver lacks {lacks}");
    }
    println!("{} of {} played", seen.played, pieces.len());
    for (name, pieces) in &seen.invalid {
        println!("{name} {pieces:?}");
    }
    for (name, failure) in &failures {
        println!("{name}: {failure}");
    }
    panic!();
}
