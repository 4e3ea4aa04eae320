import { fleetAnswers, devicesOf } from '../support/fleet-answers.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const admin = testAs(people.admin, () => fleetAnswers(devicesOf(3)))
const visitor = testAs(null, () => ({
  'GET /api/catalogue/product': { items: [], next: null, previous: null },
}))

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

for (const [test, path] of [
  [visitor, '/'],
  [visitor, '/login'],
  [admin, '/dashboard/maple/devices'],
  [admin, '/dashboard/cedar/account'],
] as const)
  test(`every text on ${path} has one of the four sizes, none below 12 px`, async ({ page }) => {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.waitForLoadState('networkidle')
    const sizes = await page.evaluate(sizesOn)
    expect(
      sizes.toSorted((a, b) => a - b).filter((size) => ![12, 14, 16, 22].includes(size)),
    ).toEqual([])
    expect(sizes).toContain(14)
  })

admin('headings stand out from the text below them', async ({ page }) => {
  await page.goto('/dashboard/cedar/account')
  const size = (level: number) =>
    page
      .getByRole('main')
      .getByRole('heading', { level })
      .first()
      .evaluate((element) => getComputedStyle(element).fontSize)
  expect(await size(1)).toBe('22px')
  expect(await size(2)).toBe('16px')
})
