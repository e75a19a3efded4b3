import type { Page } from 'playwright-core'

/** Texts on a page that are hard to read: below the contrast of 4.5 that WCAG's level AA asks for. */
export async function hardToRead(page: Page): Promise<string[]> {
  // The compiler of this file names functions by a helper that the page lacks.
  await page.evaluate('globalThis.__name = it => it')
  return page.evaluate(() => {
    const LEAST = 4.5
    const parse = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number)
    const channel = (value: number) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    const luminance = ([red = 0, green = 0, blue = 0]: number[]) =>
      0.2126 * channel(red / 255) + 0.7152 * channel(green / 255) + 0.0722 * channel(blue / 255)
    const isSeeThrough = (color: string) => color === 'transparent' || parse(color)[3] === 0
    const behind = (element: Element): string => {
      for (let at: Element | null = element; at; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at)
        if (!isSeeThrough(backgroundColor)) return backgroundColor
      }
      return 'rgb(255, 255, 255)'
    }
    const found = new Set<string>()
    // Text that is dimmed behind a dialog is not there to be read.
    const shown = document.querySelector('[role="dialog"], [role="alertdialog"]') ?? document.body
    const texts = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const element = text.parentElement
      if (!element || !text.textContent?.trim() || !element.checkVisibility({ checkOpacity: true })) continue
      const [front, back] = [luminance(parse(getComputedStyle(element).color)), luminance(parse(behind(element)))]
      const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05)
      if (contrast < LEAST)
        found.add(
          `${contrast.toFixed(2)} ${element.tagName}.${element.className}: ${text.textContent.trim().slice(0, 40)}`,
        )
    }
    return [...found]
  })
}
