//! Lifetimes of images in a frame, and how many bytes they need when those that never live at
//! once share memory.

/// Steps between which an image holds something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// First step that writes it.
    pub first: u32,
    /// Last step that uses it.
    pub last: u32,
    /// Bytes.
    pub bytes: u64,
}

impl Life {
    fn meets(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// Places lives in one block of memory, the largest first, each at the lowest offset that is free
/// all its life. Returns the offset of each and the size of the block.
pub fn pack(lives: &[Life]) -> (Vec<u64>, u64) {
    let mut order: Vec<usize> = (0..lives.len()).collect();
    order.sort_by_key(|index| (std::cmp::Reverse(lives[*index].bytes), *index));
    let mut offsets = vec![0; lives.len()];
    let mut placed: Vec<usize> = Vec::new();
    let mut size = 0;
    for index in order {
        let life = lives[index];
        let at_once = placed.iter().filter(|other| lives[**other].meets(life));
        let mut taken: Vec<(u64, u64)> =
            at_once.map(|other| (offsets[*other], offsets[*other] + lives[*other].bytes)).collect();
        taken.sort_unstable();
        let mut offset = 0;
        for (start, end) in taken {
            if offset + life.bytes <= start {
                break;
            }
            offset = offset.max(end);
        }
        offsets[index] = offset;
        size = size.max(offset + life.bytes);
        placed.push(index);
    }
    (offsets, size)
}

/// Bytes of the block that the members take.
pub fn block(members: &[usize], offsets: &[u64], lives: &[Life]) -> u64 {
    members.iter().map(|index| offsets[*index] + lives[*index].bytes).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(first: u32, last: u32, bytes: u64) -> Life {
        Life { first, last, bytes }
    }

    #[test]
    fn lives_that_never_meet_share() {
        let (offsets, size) = pack(&[life(0, 1, 8), life(1, 2, 8), life(2, 3, 8)]);
        assert_eq!((offsets, size), (vec![0, 8, 0], 16));
    }

    #[test]
    fn lives_that_meet_do_not() {
        let (offsets, size) = pack(&[life(0, 3, 8), life(1, 2, 4), life(3, 3, 2)]);
        assert_eq!((offsets, size), (vec![0, 8, 8], 12));
        assert_eq!(pack(&[]), (Vec::new(), 0));
    }

    #[test]
    fn a_gap_is_used_only_where_it_fits() {
        let lives = [life(0, 9, 8), life(0, 4, 6), life(5, 9, 4), life(3, 6, 3)];
        let (offsets, size) = pack(&lives);
        assert_eq!((offsets, size), (vec![0, 8, 8, 14], 17));
    }
}
