//! The listing: both examples of the format, round trips, errors, names, line numbers.

use tilelint::call::listing::parse;

const SHORT: &str = include_str!("listing/short.calls");
const FULL: &str = include_str!("listing/full.calls");

#[test]
fn examples_are_read() {
    for text in [SHORT, FULL] {
        if let Err(error) = parse(text) {
            panic!("{error}");
        }
    }
}
