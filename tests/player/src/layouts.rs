//! The layout in which a listing first uses each part of an image: a listing may begin in the
//! middle of a program, whose images were brought there before.

use std::collections::HashMap;

use ash::vk;
use tilelint::call::*;

use crate::player::Player;

/// A mip level and a layer.
type Part = (u32, u32);

/// The first uses of one image.
struct Search<'s, 'p> {
    player: &'s Player<'p>,
    key: ImageKey,
    info: &'s ImageInfo,
    first: HashMap<Part, vk::ImageLayout>,
}

impl Search<'_, '_> {
    fn used(&mut self, range: &SubresourceRange, layout: vk::ImageLayout) {
        let end = |base: u32, count: u32, all: u32| base.saturating_add(count).min(all);
        for mip in range.base_mip..end(range.base_mip, range.mips, self.info.mips) {
            let last = end(range.base_layer, range.layers, self.info.layers);
            for layer in range.base_layer..last {
                self.first.entry((mip, layer)).or_insert(layout);
            }
        }
    }

    fn view(&mut self, view: Option<ViewKey>, layout: vk::ImageLayout) {
        let Some(view) = view.and_then(|view| self.player.view_info(view)) else { return };
        if view.image == self.key {
            let range = SubresourceRange {
                aspects: view.aspects,
                base_mip: view.base_mip,
                mips: view.mips,
                base_layer: view.base_layer,
                layers: view.layers,
            };
            self.used(&range, layout);
        }
    }

    fn set(&mut self, set: SetKey) {
        let player = self.player;
        for entry in player.entries.iter().filter(|e| e.device == player.key) {
            if let Call::Write(write) = &entry.call
                && write.set == set
                && write.kind != vk::DescriptorType::INPUT_ATTACHMENT
            {
                self.descriptors(&write.descriptors);
            }
        }
    }

    fn descriptors(&mut self, descriptors: &[Descriptor]) {
        for descriptor in descriptors {
            if let Descriptor::Image { view, layout } = descriptor {
                self.view(Some(*view), *layout);
            }
        }
    }

    fn pass(&mut self, begin: &PassBegin) {
        match &begin.target {
            PassTarget::Object { render_pass, framebuffer, views_bound } => {
                let (pass, views) = self.player.pass_views(*render_pass, *framebuffer);
                let views = views_bound.clone().unwrap_or(views);
                for (attachment, view) in pass.iter().flat_map(|p| &p.attachments).zip(views) {
                    self.view(view, attachment.initial);
                }
            }
            PassTarget::Dynamic(rendering) => {
                for attachment in &rendering.attachments {
                    self.view(attachment.view, attachment.layout);
                    self.view(attachment.resolve_view, attachment.resolve_layout);
                }
            }
        }
    }

    fn end(&mut self, end: &TransferEnd, region: &Region) {
        if let TransferEnd::Image(key, layout) = end
            && *key == self.key
        {
            let range = SubresourceRange {
                aspects: region.aspects,
                base_mip: region.mip,
                mips: 1,
                base_layer: region.base_layer,
                layers: region.layers,
            };
            self.used(&range, *layout);
        }
    }

    fn recording(&mut self, recording: &Recording) {
        for command in &recording.commands {
            match command {
                Command::BeginPass(begin) => self.pass(begin),
                Command::Barrier(info) => self.barriers(&info.barriers),
                Command::EventWait(info) => self.barriers(&info.barriers.barriers),
                Command::BindSets { sets, .. } => {
                    recording.words(*sets).iter().for_each(|set| self.set(SetKey(*set)));
                }
                Command::PushSet(push) => {
                    push.writes.iter().for_each(|write| self.descriptors(&write.descriptors));
                }
                Command::Clear(clear) if clear.image == self.key => {
                    clear.ranges.iter().for_each(|range| self.used(range, clear.layout));
                }
                Command::Transfer(transfer) => {
                    for (from, to) in &transfer.regions {
                        self.end(&transfer.from, from);
                        self.end(&transfer.to, to);
                    }
                }
                Command::Execute(list) => {
                    for recording in list.iter().filter_map(|e| e.recording.clone()) {
                        self.recording(&recording);
                    }
                }
                _ => {}
            }
        }
    }

    fn barriers(&mut self, barriers: &[Barrier]) {
        for barrier in barriers {
            if let BarrierTarget::Image { image, range, old, .. } = &barrier.target
                && *image == self.key
            {
                self.used(range, *old);
            }
        }
    }
}

impl Player<'_> {
    /// What is known of a render pass and of the views of a framebuffer, made already or later.
    fn pass_views(
        &self,
        pass: RenderPassKey,
        framebuffer: FramebufferKey,
    ) -> (Option<std::sync::Arc<RenderPassInfo>>, Vec<Option<ViewKey>>) {
        let mine = self.entries.iter().filter(|e| e.device == self.key);
        let later_pass = || {
            mine.clone().find_map(|e| match &e.call {
                Call::RenderPass(key, info) if *key == pass => Some(info.clone()),
                _ => None,
            })
        };
        let later_views = || {
            mine.clone().find_map(|e| match &e.call {
                Call::Framebuffer(key, info) if *key == framebuffer => Some(info.views.clone()),
                _ => None,
            })
        };
        let pass = self.objects.render_passes.get(&pass).map(|(_, info)| info.clone());
        let views = self.objects.framebuffers.get(&framebuffer).map(|(_, f)| f.views.clone());
        (pass.or_else(later_pass), views.or_else(later_views).unwrap_or_default())
    }

    /// The parts of an image that the listing first uses in a layout that it must have been
    /// brought into before.
    pub(crate) fn first_layouts(
        &self,
        key: ImageKey,
        info: &ImageInfo,
    ) -> Vec<(Part, vk::ImageLayout)> {
        let mut search = Search { player: self, key, info, first: HashMap::new() };
        for entry in self.entries[self.at..].iter().filter(|e| e.device == self.key) {
            match &entry.call {
                Call::Destroy(object) if *object == Object::from(key) => break,
                Call::Submit(submit) => {
                    let all = submit.batches.iter().flat_map(|b| &b.commands);
                    for recording in all.filter_map(|c| c.recording.as_ref()) {
                        search.recording(recording);
                    }
                }
                _ => {}
            }
        }
        let none = [vk::ImageLayout::UNDEFINED, vk::ImageLayout::PREINITIALIZED];
        let mut all: Vec<_> =
            search.first.into_iter().filter(|(_, layout)| !none.contains(layout)).collect();
        all.sort_by_key(|(part, _)| *part);
        all
    }
}
