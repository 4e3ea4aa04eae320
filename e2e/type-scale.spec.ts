import { openAs } from './support/account.ts'
import { expect, sample, test } from './support/test.ts'

const sizesOn = () => {
  const texts = [...document.querySelectorAll('body *')].filter(
    (element) =>
      element.checkVisibility() &&
      [...element.childNodes].some(
        ({ nodeType, data = '' }: ChildNode & { data?: string }) =>
          nodeType === 3 && data.trim() !== '',
      ),
  )
  return [...new Set(texts.map((element) => Number.parseFloat(getComputedStyle(element).fontSize)))]
}

for (const path of ['/', '/login', '/dashboard/maple/devices', '/dashboard/cedar/account'])
  test(`every text on ${path} has one of the four sizes, none below 12 px`, async ({ page }) => {
    if (path.startsWith('/dashboard')) await openAs(page, sample.admin, path)
    else await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.waitForLoadState('networkidle')
    const sizes = await page.evaluate(sizesOn)
    expect(
      sizes.toSorted((a, b) => a - b).filter((size) => ![12, 14, 16, 22].includes(size)),
    ).toEqual([])
    expect(sizes).toContain(14)
  })

test('headings stand out from the text below them', async ({ page }) => {
  await openAs(page, sample.admin, '/dashboard/cedar/account')
  const size = (level: number) =>
    page
      .getByRole('main')
      .getByRole('heading', { level })
      .first()
      .evaluate((element) => getComputedStyle(element).fontSize)
  expect(await size(1)).toBe('22px')
  expect(await size(2)).toBe('16px')
})
