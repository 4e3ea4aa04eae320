import { defineConfig } from '@lingui/cli'

// Two catalogues a locale: what every visitor needs, and what only the dashboard needs, so that
// the sign-in page does not pay for the words of a hundred other pages.
const visitor = [
  'src/app/**',
  'src/api/**',
  'src/routes/__root.tsx',
  'src/routes/_app.tsx',
  'src/routes/_app/index.tsx',
  'src/routes/_app/login.tsx',
  'src/routes/_app/signup.tsx',
]

// The test of the catalogues extracts to a folder of its own.
const folder = process.env['GROVE_LOCALES'] ?? 'src/locales'

export default defineConfig({
  rootDir: import.meta.dirname,
  sourceLocale: 'en-US',
  locales: ['en-US', 'ru-RU'],
  catalogs: [
    { path: `${folder}/{locale}/messages`, include: visitor },
    { path: `${folder}/{locale}/dashboard`, include: ['src'], exclude: visitor },
  ],
  format: 'po',
  // Line numbers would change the catalogue with every edit of a page.
  formatOptions: { lineNumbers: false },
  orderBy: 'message',
})
