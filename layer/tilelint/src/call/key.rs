//! Keys of objects: handle values of a live program, interned names of a listing.

use std::fmt;

macro_rules! keys {
    ($($(#[$doc:meta])* $key:ident = $kind:ident, $word:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
            pub struct $key(pub u64);

            impl From<$key> for Object {
                fn from(key: $key) -> Self {
                    Object { kind: Kind::$kind, key: key.0 }
                }
            }
        )*

        /// What an object is.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &'static [Kind] = &[$(Kind::$kind),*];

            /// Returns the word that stands for the kind in a listing and in `kind.N` names.
            pub fn word(self) -> &'static str {
                match self { $(Kind::$kind => $word,)* }
            }
        }
    };
}

keys! {
    /// A logical device.
    DeviceKey = Device, "device";
    /// A queue.
    QueueKey = Queue, "queue";
    /// An image.
    ImageKey = Image, "image";
    /// Device memory.
    MemoryKey = Memory, "memory";
    /// An image view.
    ViewKey = View, "view";
    /// A buffer.
    BufferKey = Buffer, "buffer";
    /// A sampler.
    SamplerKey = Sampler, "sampler";
    /// A swapchain.
    SwapchainKey = Swapchain, "swapchain";
    /// A render pass object.
    RenderPassKey = RenderPass, "renderpass";
    /// A framebuffer.
    FramebufferKey = Framebuffer, "framebuffer";
    /// A shader module or shader object.
    ShaderKey = Shader, "shader";
    /// A descriptor set layout.
    SetLayoutKey = SetLayout, "set-layout";
    /// A pipeline layout.
    PipelineLayoutKey = PipelineLayout, "pipeline-layout";
    /// A descriptor set.
    SetKey = Set, "descriptor-set";
    /// A pipeline.
    PipelineKey = Pipeline, "pipeline";
    /// A semaphore.
    SemaphoreKey = Semaphore, "semaphore";
    /// A fence.
    FenceKey = Fence, "fence";
    /// An event.
    EventKey = Event, "event";
    /// A query pool.
    QueryPoolKey = QueryPool, "query-pool";
    /// A command buffer.
    CommandsKey = Commands, "commands";
}

/// Any object, by kind and key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Object {
    /// What it is.
    pub kind: Kind,
    /// Its key among objects of this kind on its device.
    pub key: u64,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
