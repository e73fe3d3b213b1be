#version 450
layout(location = 0) out vec4 color;
layout(depth_greater) out float gl_FragDepth;
void main() {
    gl_FragDepth = gl_FragCoord.z + 0.001;
    color = vec4(1.0);
}
