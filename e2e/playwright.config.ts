import { defineConfig } from '@playwright/test'
import { isShort, longTag } from '../scripts/test-tags.mjs'

export default defineConfig({
  testDir: '.',
  testIgnore: '**/e2e/pages/**',
  ...(isShort && { grepInvert: new RegExp(longTag) }),
  outputDir: '../test-results',
  globalSetup: './support/start-server.ts',
  // Every test makes its own account or works on its own rows, so they may run side by side.
  fullyParallel: true,
  workers: 2,
  // What passes on its second try alone is named in the summary.
  retries: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  use: {
    locale: 'en-US',
    timezoneId: 'Europe/Berlin',
    // Takes a fifth of the processor's time: to look into a failure, run its test with `--trace on`.
    trace: 'off',
    screenshot: 'only-on-failure',
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      ...(process.env['GROVE_CHROMIUM'] && { executablePath: process.env['GROVE_CHROMIUM'] }),
      args: [
        // Chromium refuses its sandbox to root, as in most containers.
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
})
