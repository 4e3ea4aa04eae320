import { defineConfig } from '@playwright/test'
import scenarios from '../playwright.config.ts'

const { globalSetup: _platform, testIgnore: _pages, ...rest } = scenarios

/** The console alone, with answers of the contract: no platform is started. */
export default defineConfig({ ...rest, testDir: '.', outputDir: '../../test-results/pages' })
