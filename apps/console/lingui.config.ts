import { defineConfig } from '@lingui/cli'

// What every visitor needs, the pages beside the login page, what the whole dashboard needs, and
// one catalogue a service, so that a page loads its own texts alone. `ui/i18n/locale.ts` loads them.
const visitor = [
  'src/app/**',
  'src/api/**',
  'src/session/**',
  'src/ui/{failure,field,page,preferences}/**',
  'src/ui/form/form-problem.tsx',
  'src/ui/toast/**',
  'src/routes/__root.tsx',
  'src/routes/_app.tsx',
  'src/routes/_app/index.tsx',
  'src/routes/_app/login/index.tsx',
  'src/features/sign-in/{login-page,alternative-methods,link-notice,sign-in-fields,sign-in-notice}.tsx',
  'src/features/sign-in/email-field.tsx',
]
const signIn = [
  'src/routes/_app/login/{callback,email,forgotten,reset}.tsx',
  'src/routes/_app/signup.tsx',
  'src/features/sign-in/**',
]
const catalogue = ['src/features/catalogue/**']
const account = [
  'src/routes/_app/dashboard/cedar/account/**',
  'src/features/account/**',
  'src/features/auth/**',
]
// A product's own pages have three times the texts of the list of products.
const product = [
  'src/routes/_app/dashboard/cedar/mobile/$productId/**',
  'src/features/cedar/product-version/**',
  'src/features/cedar/preview/**',
  'src/features/cedar/link/**',
  'src/features/cedar/parts/{danger-zone,icon-upload}.tsx',
  'src/features/cedar/product/{delete-product,listing-tab,product-overview}.tsx',
  'src/features/cedar/product/{product-tabs,product.page,release-history,remove-link}.tsx',
  'src/features/cedar/product/{share-section,titles-section}.tsx',
  'src/features/cedar/product/{command-section.tsx,use-link.ts}',
]
const publishKey = ['src/routes/_app/dashboard/cedar/keys.tsx', 'src/features/cedar/publish-key/**']
const notification = [
  'src/routes/_app/dashboard/cedar/notifications.tsx',
  'src/features/cedar/notification/**',
]
const provider = [
  'src/routes/_app/dashboard/cedar/{activity,providers}.tsx',
  'src/features/cedar/{activity,provider}/**',
]
// A part of the pages of providers and of products.
const activity = ['src/features/cedar/parts/activity/**', 'src/ui/event/**']
const cedar = ['src/routes/_app/dashboard/cedar/**', 'src/features/cedar/**']
const maple = [
  'src/routes/_app/dashboard/maple*',
  'src/routes/_app/dashboard/maple/**',
  'src/features/maple/**',
]
// The words of the audit trail, which Cedar’s activity uses too.
const event = ['src/ui/event/**']
const system = ['src/routes/_app/dashboard/system/**', 'src/features/system/**']
const dev = ['src/routes/_app/dev/**', 'src/features/dev/**']
// What opens over a page or beside it (`withTexts`): a list is shown without.
const parts = [
  'src/ui/table/{selection-bar,view-choices}.tsx',
  'src/ui/form/{form-shell,conflict-notice,name-problem}.tsx',
  'src/ui/form/unsaved-changes.ts',
  'src/ui/kit/{date-range-panel,combobox-panel}.tsx',
  'src/ui/panel/**',
  'src/ui/dialog/**',
  'src/shell/palette/palette.tsx',
  'src/shell/palette/{palette-sources,use-palette}.ts',
  'src/shell/shortcut-dialog.tsx',
]
// A list is shown before there is a problem to explain.
const problems = ['src/shell/problem-texts.ts']

// The test of the catalogues extracts to a folder of its own.
const folder = process.env['GROVE_LOCALES'] ?? 'src/locales'

export default defineConfig({
  rootDir: import.meta.dirname,
  sourceLocale: 'en-US',
  locales: ['en-US', 'ru-RU'],
  catalogs: [
    { path: `${folder}/{locale}/messages`, include: visitor },
    { path: `${folder}/{locale}/sign-in`, include: signIn, exclude: visitor },
    { path: `${folder}/{locale}/catalogue`, include: catalogue },
    { path: `${folder}/{locale}/account`, include: account },
    { path: `${folder}/{locale}/product`, include: [...product, ...activity] },
    {
      path: `${folder}/{locale}/notification`,
      include: [
        ...notification,
        'src/features/cedar/parts/{use-provider-name.ts,counted-field.tsx}',
      ],
    },
    {
      path: `${folder}/{locale}/provider`,
      include: [
        ...provider,
        ...activity,
        'src/features/cedar/parts/{icon-upload,image-problem,use-provider-name,use-upload-guard}.ts*',
      ],
    },
    {
      path: `${folder}/{locale}/publish-key`,
      include: [...publishKey, 'src/features/cedar/parts/use-provider-name.ts'],
    },
    {
      path: `${folder}/{locale}/cedar`,
      include: cedar,
      exclude: [...account, ...product, ...provider, ...publishKey, ...notification, ...activity],
    },
    { path: `${folder}/{locale}/maple`, include: maple },
    { path: `${folder}/{locale}/system`, include: [...system, ...event] },
    { path: `${folder}/{locale}/dev`, include: dev },
    { path: `${folder}/{locale}/problems`, include: problems },
    { path: `${folder}/{locale}/parts`, include: parts },
    {
      path: `${folder}/{locale}/dashboard`,
      include: ['src'],
      exclude: [
        ...visitor,
        ...signIn,
        ...account,
        ...catalogue,
        ...cedar,
        ...maple,
        ...system,
        ...event,
        ...dev,
        ...problems,
        ...parts,
      ],
    },
  ],
  format: 'po',
  // Line numbers would change the catalogue with every edit of a page.
  formatOptions: { lineNumbers: false },
  orderBy: 'message',
})
