import { defineConfig } from '@playwright/test'
import scenarios from '../playwright.config.ts'

const { globalSetup: _platform, testIgnore: _pages, ...rest } = scenarios

/** Only the console, with answers that match the contract: no platform is started. */
export default defineConfig({ ...rest, testDir: '.', outputDir: '../../test-results/pages' })
