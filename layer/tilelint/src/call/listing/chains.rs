//! Layouts of swapchain images in short passes.

use ash::vk;

use super::build::Parts;
use super::parse::Parser;
use super::refs::split_at;
use super::value::W;
use crate::call::*;

impl Parser<'_> {
    /// A swapchain's image is left for presentation by its last pass of the frame.
    pub fn chain_layouts(&self, parts: &mut Parts, views: &[Option<ViewKey>]) {
        for (attach, view) in parts.attachments.iter_mut().zip(views) {
            let image = view.and_then(|v| self.scene.views.get(&v)).map(|v| v.image);
            let Some(image) = image else { continue };
            let mut chains = self.scene.swapchains.iter();
            let Some((key, _)) = chains.find(|(_, c)| c.info.images.contains(&image)) else {
                continue;
            };
            if attach.spec.final_.is_none() && !self.used_again(*key, image) {
                attach.spec.final_ = Some(W(vk::ImageLayout::PRESENT_SRC_KHR));
            }
        }
    }

    /// Says whether a later pass of this frame draws to an image of a swapchain.
    fn used_again(&self, chain: SwapchainKey, image: ImageKey) -> bool {
        let names = |word: &str| {
            let name = split_at(word).map_or(word, |(name, _)| name);
            let of_view = self.scene.find(name, Kind::View).map(ViewKey);
            let of_view = of_view.and_then(|v| self.scene.views.get(&v)).map(|v| v.image);
            self.scene.find(name, Kind::Swapchain) == Some(chain.0)
                || self.scene.find(name, Kind::Image) == Some(image.0)
                || of_view == Some(image)
        };
        let rest = self.lines[self.at..].iter().skip_while(|l| l.verb != "end");
        for line in rest {
            let word = line.words().next().map(|t| t.value.as_str());
            match line.verb.as_str() {
                "frame" => return false,
                "present" if word.is_some_and(names) => return false,
                "attach" if word.is_some_and(names) => return true,
                "attach" if line.value("resolve").is_some_and(names) => return true,
                _ => {}
            }
        }
        false
    }
}
