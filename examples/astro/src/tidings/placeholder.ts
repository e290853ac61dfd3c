// The colour of a picture before it is there. A ThumbHash (https://evanw.github.io/thumbhash/) begins with the average colour: lightness in 6 bits, and two
// differences of colours in 6 bits each.

export function averageColour(thumbHash: string): string {
  const [low = 0, middle = 0, high = 0] = Buffer.from(thumbHash, "base64");
  const bits = low | (middle << 8) | (high << 16);
  const lightness = (bits & 63) / 63;
  const yellowness = ((bits >> 6) & 63) / 31.5 - 1;
  const redness = ((bits >> 12) & 63) / 31.5 - 1;
  const blue = lightness - (2 / 3) * yellowness;
  const red = (3 * lightness - blue + redness) / 2;
  const green = red - redness;
  return `#${[red, green, blue].map(hexadecimal).join("")}`;
}

function hexadecimal(part: number): string {
  const byte = Math.round(255 * Math.min(1, Math.max(0, part)));
  return byte.toString(16).padStart(2, "0");
}
