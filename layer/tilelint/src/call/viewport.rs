//! Viewports as texels.

use ash::vk;

/// Added to a whole number of at most 22 bits, it leaves the number in the low bits of the sum.
const WHOLE: f32 = 1.5 * (1 << 23) as f32;

/// Returns a viewport in whole texels, where they say all of it.
#[inline(always)]
pub fn whole_texels(viewport: &vk::Viewport) -> Option<[i32; 4]> {
    let sides = [viewport.x, viewport.y, viewport.width, viewport.height];
    let sums = sides.map(|side| side + WHOLE);
    let texels = sums.map(|sum| sum.to_bits().wrapping_sub(WHOLE.to_bits()) as i32);
    // Of a whole number that is small enough, the sum has the exponent of the constant, and the
    // difference gives the number back; its sign is lost where it is 0.
    let mut wrong = 0;
    for (side, sum) in sides.iter().zip(sums) {
        wrong |= (sum.to_bits() ^ WHOLE.to_bits()) & !((1 << 23) - 1);
        wrong |= ((sum - WHOLE).to_bits() ^ side.to_bits()) & !(1 << 31);
    }
    let is_deep = viewport.min_depth.to_bits() << 1 != 0 || viewport.max_depth != 1.0;
    (wrong == 0 && texels[3] >= 0 && !is_deep).then_some(texels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn viewport(x: f32, y: f32, width: f32, height: f32) -> vk::Viewport {
        vk::Viewport { x, y, width, height, min_depth: 0.0, max_depth: 1.0 }
    }

    #[test]
    fn a_viewport_of_whole_texels_is_told_from_others() {
        for side in [0.0, -0.0, 1.0, -1.0, 1024.0, -32768.0, 16384.0, 2_097_151.0, -2_097_151.0] {
            let texels = whole_texels(&viewport(side, 2.0, side, 4.0));
            assert_eq!(texels, Some([side as i32, 2, side as i32, 4]), "{side}");
        }
        let odd = [0.5, -0.25, 1024.5, 1e-20, 8_388_608.0, 1e9, -1e9, f32::INFINITY, f32::NAN];
        for side in odd {
            assert_eq!(whole_texels(&viewport(side, 0.0, 4.0, 4.0)), None, "{side}");
            assert_eq!(whole_texels(&viewport(0.0, 0.0, 4.0, side)), None, "{side}");
        }
        assert_eq!(whole_texels(&viewport(0.0, 4.0, 4.0, -4.0)), None);
        let deep = vk::Viewport { min_depth: 0.5, ..viewport(0.0, 0.0, 4.0, 4.0) };
        assert_eq!(whole_texels(&deep), None);
    }
}
