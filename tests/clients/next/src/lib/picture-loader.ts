const WIDTHS = [160, 320, 480, 640, 960, 1280, 1600, 1920, 2560];

/** The address of a picture in the next wider width that Tidings serves. */
export default function pictureLoader({ src, width }: { src: string; width: number }): string {
  const served = WIDTHS.find((each) => each >= width) ?? WIDTHS.at(-1);
  return `${src}?width=${served}`;
}
