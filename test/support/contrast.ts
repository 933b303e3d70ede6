/// <reference lib="dom" />
/** The contrast of a page's texts by WCAG 2.1, computed within the browser. */
import type { Page } from 'playwright-core';

export interface TextContrast {
  readonly text: string;
  readonly ratio: number;
  /** By level AA: 3 for large text, otherwise 4.5. */
  readonly required: number;
}

/** The contrast of every visible text of the page, HTML and SVG. */
export async function textContrasts(page: Page): Promise<readonly TextContrast[]> {
  return page.evaluate(() => {
    type Color = [red: number, green: number, blue: number, alpha: number];
    const parse = (css: string): Color => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (css.match(/[\d.]+/g) ?? []).map(Number);
      return [red, green, blue, alpha];
    };
    const over = (top: Color, below: Color): Color => {
      const mix = (index: 0 | 1 | 2) => top[index] * top[3] + below[index] * (1 - top[3]);
      return [mix(0), mix(1), mix(2), 1];
    };
    const backgroundOf = (element: Element | null): Color => {
      if (!element) return [255, 255, 255, 1];
      const own = parse(getComputedStyle(element).backgroundColor);
      return own[3] === 1 ? own : over(own, backgroundOf(element.parentElement));
    };
    const luminance = ([red, green, blue]: Color): number => {
      const linear = (value: number) => {
        const share = value / 255;
        return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      };
      return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    };
    const texts: { text: string; ratio: number; required: number }[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent?.trim() ?? '';
      const element = node.parentElement;
      if (text === '' || !element || element.getClientRects().length === 0) continue;
      const style = getComputedStyle(element);
      const background = backgroundOf(element);
      const color = over(
        parse(element instanceof SVGElement ? style.fill : style.color),
        background,
      );
      const [high = 0, low = 0] = [luminance(color), luminance(background)].sort((a, b) => b - a);
      const pixels = Number.parseFloat(style.fontSize);
      const isLarge = pixels >= 24 || (pixels >= 18.66 && Number(style.fontWeight) >= 700);
      texts.push({ text, ratio: (high + 0.05) / (low + 0.05), required: isLarge ? 3 : 4.5 });
    }
    return texts;
  });
}
