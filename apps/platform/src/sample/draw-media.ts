// Draws the icons and takes the screenshots of the sample mini-apps; run it after one of them
// changes: node --conditions=source --import ./scripts/run-typescript.mjs
// apps/platform/src/sample/draw-media.ts
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium, type Page } from '@playwright/test'
import sharp from 'sharp'
import { samples } from './samples.ts'

/** User actions before the second screenshot. */
const steps: Record<string, (page: Page) => Promise<void>> = {
  'tide-table': async (page) => {
    await page.locator('[data-port=halifax]').click()
    await page.locator('#units').click()
  },
  'habit-garden': async (page) => {
    await page.locator('.water').nth(1).click()
  },
  'split-the-bill': async (page) => {
    await page.locator('[data-tip="15"]').click()
    await page.locator('#mode').click()
    await page.locator('.stepper button:last-child').first().click()
  },
}

const browser = await chromium.launch({
  executablePath: process.env.GROVE_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
for (const app of samples) {
  const folder = app.versions.at(-1)?.folder ?? ''
  const icon = sharp(join(folder, 'icon.svg'), { density: 144 }).resize(512, 512)
  await icon.png({ compressionLevel: 9 }).toFile(app.icon)

  for (const [locale, files] of Object.entries(app.screenshots)) {
    const page = await browser.newPage({
      viewport: { width: 360, height: 720 },
      deviceScaleFactor: 16 / 9,
      timezoneId: 'UTC',
    })
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    const query = `?lang=${locale}&at=2026-06-15T10:20:00Z`
    await page.goto(`${pathToFileURL(join(folder, 'index.html')).href}${query}`)
    for (const [index, file] of files.entries()) {
      if (index === 1) await steps[app.id]?.(page)
      // The focus ring is for people who use the keyboard, not for a picture.
      await page.evaluate(() => {
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
        scrollTo(0, 0)
      })
      await mkdir(dirname(file), { recursive: true })
      const shot = await page.screenshot()
      await writeFile(
        file,
        await sharp(shot).png({ palette: true, compressionLevel: 9 }).toBuffer(),
      )
    }
    if (errors.length > 0) throw new Error(`${app.id}: ${errors.join('; ')}`)
    await page.close()
  }
}
await browser.close()
