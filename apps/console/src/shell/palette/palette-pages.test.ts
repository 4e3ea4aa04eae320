import { expect, test } from 'vitest'
import { pagesFor } from './palette-pages.ts'

test('each page is found once, including those that the menu does not show', () => {
  const paths = pagesFor({ userId: 'u', isAdmin: true, isDeveloper: false }).map(
    ({ page }) => page.to,
  )
  expect(new Set(paths).size).toBe(paths.length)
  expect(paths).toEqual(
    expect.arrayContaining(['/dashboard/maple/approvals', '/dashboard/cedar/activity']),
  )
})
