//! The valid word that a misspelled one is nearest to.

/// Returns the candidate that is most probably meant by `word`, if one is near enough: one edit and
/// one more for each four letters, where swapping two neighbours is one edit. Case is ignored. Of
/// equally near candidates the first is returned.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = letters(word);
    let limit = 1 + word.len() / 4;
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let other = letters(candidate);
        if other.len().abs_diff(word.len()) > limit {
            continue;
        }
        let distance = distance(&word, &other);
        if distance <= limit
            && distance < word.len().max(other.len())
            && best.is_none_or(|(least, _)| distance < least)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Returns the candidate that needs the fewest edits to become `word`, however many they are; the
/// first of equals. For short lists, where any answer helps.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = letters(word);
    candidates.into_iter().min_by_key(|candidate| distance(&word, &letters(candidate)))
}

fn letters(word: &str) -> Vec<char> {
    word.chars().take(64).flat_map(char::to_lowercase).collect()
}

/// Edits between two words (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (above[j] + 1).min(row[j - 1] + 1).min(above[j - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{closest, nearest};

    #[test]
    fn finds_the_nearest() {
        let words = ["load", "store", "stencil_load", "stencil_store"];
        assert_eq!(nearest("stroe", words), Some("store"));
        assert_eq!(nearest("STORE", words), Some("store"));
        assert_eq!(nearest("stencil_laod", words), Some("stencil_load"));
        assert_eq!(nearest("quest", words), None);
        assert_eq!(nearest("", words), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("of", ["fb", "of2"]), Some("of2"));
        assert_eq!(closest("quest", words), Some("load"));
        assert_eq!(closest("", []), None);
    }
}
