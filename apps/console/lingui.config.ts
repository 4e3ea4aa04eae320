import { defineConfig } from '@lingui/cli'

// What every visitor needs, the pages beside the login page, what the whole dashboard needs, and
// one catalogue a service: a page does not pay for the words of a hundred others. `app/locale.ts` loads them.
const visitor = [
  'src/app/**',
  'src/api/**',
  'src/routes/__root.tsx',
  'src/routes/_app.tsx',
  'src/routes/_app/index.tsx',
  'src/routes/_app/login/index.tsx',
]
const signIn = [
  'src/routes/_app/login/{callback,email,forgotten,reset}.tsx',
  'src/routes/_app/signup.tsx',
  'src/features/sign-in/**',
]
const catalogue = ['src/features/catalogue/**']
const account = ['src/routes/_app/dashboard/cedar/account/**', 'src/features/account/**']
const cedar = ['src/routes/_app/dashboard/cedar/**', 'src/features/products/**']
const maple = [
  'src/routes/_app/dashboard/maple*',
  'src/routes/_app/dashboard/maple/**',
  'src/features/devices/**',
]

// The test of the catalogues extracts to a folder of its own.
const folder = process.env['GROVE_LOCALES'] ?? 'src/locales'

export default defineConfig({
  rootDir: import.meta.dirname,
  sourceLocale: 'en-US',
  locales: ['en-US', 'ru-RU'],
  catalogs: [
    { path: `${folder}/{locale}/messages`, include: visitor },
    { path: `${folder}/{locale}/sign-in`, include: signIn },
    { path: `${folder}/{locale}/catalogue`, include: catalogue },
    { path: `${folder}/{locale}/account`, include: account },
    { path: `${folder}/{locale}/cedar`, include: cedar, exclude: account },
    { path: `${folder}/{locale}/maple`, include: maple },
    {
      path: `${folder}/{locale}/dashboard`,
      include: ['src'],
      exclude: [...visitor, ...signIn, ...account, ...catalogue, ...cedar, ...maple],
    },
  ],
  format: 'po',
  // Line numbers would change the catalogue with every edit of a page.
  formatOptions: { lineNumbers: false },
  orderBy: 'message',
})
