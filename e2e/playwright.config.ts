import { defineConfig } from '@playwright/test'
import { isShort, longTag } from '../scripts/test-tags.mjs'

export default defineConfig({
  testDir: '.',
  testIgnore: '**/e2e/pages/**',
  ...(isShort && { grepInvert: new RegExp(longTag) }),
  outputDir: '../test-results',
  globalSetup: './support/start-server.ts',
  // Every test creates its own account or works on its own rows, so they can run in parallel.
  fullyParallel: true,
  workers: 2,
  // The summary names tests that pass only on their second try.
  retries: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  use: {
    locale: 'en-US',
    timezoneId: 'Europe/Berlin',
    // Takes a fifth of the CPU time: to look into a failure, run its test with `--trace on`.
    trace: 'off',
    screenshot: 'only-on-failure',
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      ...(process.env['GROVE_CHROMIUM'] && { executablePath: process.env['GROVE_CHROMIUM'] }),
      args: [
        // Chromium's sandbox does not run as root, as in most containers.
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
})
