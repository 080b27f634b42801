//! A generator of a release is neither written nor read.

use discreet::noise::entropy::PrivateRng;

fn written<T: serde::Serialize>(_: &T) {}
fn read<T: serde::de::DeserializeOwned>() {}

fn main() {
    written(&PrivateRng::from_os().unwrap());
    read::<PrivateRng>();
}
