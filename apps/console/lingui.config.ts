import { defineConfig } from '@lingui/cli'

// One catalogue for every visitor, one for the pages next to the login page, one for the whole
// dashboard, and one per service, so that a page loads only its own texts. `ui/i18n/locale.ts` loads
// them.
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
  'src/routes/_app/login/{callback,email,forgotten,invitation,reset}.tsx',
  'src/routes/_app/signup.tsx',
  'src/features/sign-in/**',
]
const catalogue = ['src/features/catalogue/**']
const account = [
  'src/routes/_app/dashboard/cedar/account/**',
  'src/features/account/**',
  'src/features/auth/**',
]
const people = [
  'src/routes/_app/dashboard/cedar/account/people.tsx',
  'src/features/auth/account/{account.list,account.labels,use-switch-account}.tsx',
  'src/features/auth/parts/role.labels.ts',
]
const invitation = [
  'src/routes/_app/dashboard/cedar/account/invitations.tsx',
  'src/features/auth/invitation/**',
]
// The page of a person, with what every service knows about them.
const person = [
  'src/routes/_app/dashboard/cedar/account/people_/**',
  'src/features/auth/account/account.page.tsx',
  'src/features/auth/account/{account-sessions,change-role}.tsx',
  'src/features/auth/account/use-account-actions.ts',
  'src/features/system/event/person-events.tsx',
]
// The memberships of a person, shown on their page and in the account.
const providerRequest = ['src/features/cedar/provider-request/**']
const membership = ['src/features/cedar/user/**']
// A product's own pages have three times as many texts as the list of products.
const product = [
  'src/routes/_app/dashboard/cedar/mobile/$productId/**',
  'src/features/cedar/product-version/**',
  'src/features/cedar/preview/**',
  'src/features/cedar/{link,push-device}/**',
  'src/features/cedar/parts/{danger-zone,icon-upload}.tsx',
  'src/features/cedar/parts/share/**',
  'src/features/cedar/product/{delete-product,listing-tab,product-overview}.tsx',
  'src/features/cedar/product/{product-tabs,product.page,release-history,remove-link}.tsx',
  'src/features/cedar/product/{share-section,titles-section}.tsx',
  'src/features/cedar/product/command-section.tsx',
]
const publishKey = ['src/routes/_app/dashboard/cedar/keys.tsx', 'src/features/cedar/publish-key/**']
const notification = [
  'src/routes/_app/dashboard/cedar/notifications.tsx',
  'src/features/cedar/notification/**',
]
const providerParts = [
  'src/routes/_app/dashboard/cedar/activity.tsx',
  'src/features/cedar/activity/**',
  'src/routes/_app/dashboard/cedar/providers_/**',
  'src/features/cedar/provider/provider.{form,page,panel}.tsx',
  'src/features/cedar/provider/provider-*.tsx',
  'src/features/cedar/provider/transfer-apps.tsx',
]
const provider = ['src/routes/_app/dashboard/cedar/providers.tsx', 'src/features/cedar/provider/**']
// Part of the pages of providers and of products.
const activity = [
  'src/features/cedar/parts/activity/**',
  'src/ui/{event,history}/**',
  'src/people/{event-*,person-filter}.tsx',
]
// On the first page, and above the list of apps.
const firstSteps = ['src/ui/text/first-steps.tsx']
const cedar = ['src/routes/_app/dashboard/cedar/**', 'src/features/cedar/**', ...firstSteps]
const maple = [
  'src/routes/_app/dashboard/iot.tsx',
  'src/routes/_app/dashboard/maple*',
  'src/routes/_app/dashboard/maple/**',
  'src/features/maple/**',
]
// What each right allows; shown with roles and API keys.
const rights = ['src/features/maple/access/right.labels.ts']
const mapleAccount = [
  'src/routes/_app/dashboard/maple/{accounts,roles}.tsx',
  'src/features/maple/access/account/**',
  ...rights,
]
const mapleCard = [
  'src/routes/_app/dashboard/maple/software_cards.tsx',
  'src/features/maple/card/faults/**',
  'src/features/maple/card/software-card/**',
]
const mapleReader = [
  'src/routes/_app/dashboard/maple/readers.tsx',
  'src/features/maple/card/reader/**',
]
// Names of bytes; loaded with the dialog that explains them.
const decode = ['src/features/maple/base/decode/**']
// The likely causes of keys that did not match; shown on several pages.
const secureParts = [
  'src/features/maple/card/mismatch-text.ts',
  'src/features/maple/access/custody-consequences.tsx',
]
const mapleApproval = [
  'src/routes/_app/dashboard/maple/approvals.tsx',
  'src/features/maple/access/approval/**',
  'src/features/maple/access/custody-consequences.tsx',
]
const mapleElement = [
  'src/routes/_app/dashboard/maple/secure_elements/**',
  'src/features/maple/card/element/**',
  'src/features/maple/base/bulk/**',
  'src/features/maple/base/choice.tsx',
]
// Parts that open over the lists of devices and accounts, or next to them.
const mapleParts = [
  'src/features/maple/access/account/{account.bulk,account.bulk-progress,account.form,role-field}.tsx',
  'src/features/maple/fleet/device/{bulk,element,filter,form,view}/**',
  'src/features/maple/fleet/device/{device.form,device.panel,device-details,device-tools,look-notice}.tsx',
  'src/features/maple/fleet/device/{attribute.labels,history-dialog,row-items,sample-hint,unlink-wearable,use-retire}.tsx',
  'src/features/maple/fleet/device/{list-lead,list-text,use-accept*,waiting-banner,waiting-notice}.ts*',
  'src/features/maple/base/{bulk-progress,choice,bulk/bulk-dialog}.tsx',
  'src/features/maple/fleet/{connection.labels,device-days,group-field}.tsx',
]
const mapleGroup = [
  'src/routes/_app/dashboard/maple/groups.tsx',
  'src/features/maple/fleet/group/**',
]
const mapleRevert = ['src/features/maple/fleet/revert-*.ts*']
const mapleBulk = [
  'src/routes/_app/dashboard/maple/changes.tsx',
  'src/features/maple/fleet/device-bulk/**',
]
const mapleImport = [
  'src/routes/_app/dashboard/maple/imports.tsx',
  'src/features/maple/fleet/device-import/**',
]
const mapleKey = [
  'src/features/maple/access/keys/**',
  'src/routes/_app/dashboard/maple/keys.tsx',
  'src/features/maple/access/api-key/**',
  ...rights,
]
const mapleOverview = [
  'src/routes/_app/dashboard/maple/index.tsx',
  'src/features/maple/overview/**',
]
// The log of element sessions and of device sessions.
const live = ['src/features/maple/base/live/**']
// Commands and the twin of a device, on its own page and on that of its session.
const deviceParts = ['src/features/maple/connect/device-work/**']
// Why certificates are refused, on the pages of products and of devices.
const certificateParts = ['src/features/maple/connect/certificate/**']
const deviceSession = [
  'src/routes/_app/dashboard/maple/sessions/device/**',
  'src/features/maple/connect/device-session/**',
]
// A device's own page has the words of the audit trail.
const mapleDevice = [
  'src/routes/_app/dashboard/maple/devices_/**',
  'src/features/maple/connect/device-page/**',
]
const mapleProvider = [
  'src/routes/_app/dashboard/maple/providers.tsx',
  'src/features/maple/access/service/service.{list,labels}.tsx',
]
// Opens next to the list; also on the page of one service provider.
const mapleProviderParts = [
  'src/routes/_app/dashboard/maple/providers_/**',
  'src/features/maple/access/service/**',
]
const appletList = [
  'src/routes/_app/dashboard/maple/applets/index.tsx',
  'src/features/maple/card/applet/{applet.list,applet.labels}.tsx',
]
// Opens next to the list; also on the page of one applet.
const uploads = ['src/features/maple/base/upload/**']
// The chosen elements, devices and cards.
const chosen = ['src/features/maple/base/chosen-list.tsx']
const choices = ['src/features/maple/card/element-choice/**', ...chosen]
// The outcome of an action on many elements.
const batch = ['src/features/maple/card/batch/**']
const appletPage = [
  'src/routes/_app/dashboard/maple/applets/$id.tsx',
  'src/features/maple/card/applet/**',
  ...choices,
  'src/features/maple/base/roll-out.tsx',
  ...uploads,
  ...batch,
]
const templateList = [
  'src/routes/_app/dashboard/maple/templates/index.tsx',
  'src/features/maple/program/template/{template.list,template.labels}.tsx',
]
const scriptList = [
  'src/routes/_app/dashboard/maple/scripts/index.tsx',
  'src/features/maple/program/script/script.list.tsx',
]
// The code and the secrets of scripts and of handlers.
const programParts = ['src/features/maple/program/{code,program-secrets}/**']
// Publishing of scripts and device handlers.
const publishing = ['src/features/maple/program/publish/**']
// The form of a new script, and the page of one.
const scriptPage = [
  'src/routes/_app/dashboard/maple/scripts/$id.tsx',
  'src/features/maple/program/script/**',
  ...programParts,
  ...publishing,
  ...choices,
  'src/features/maple/base/roll-out.tsx',
]
const mapleProduct = [
  'src/routes/_app/dashboard/maple/products/**',
  'src/features/maple/connect/product/**',
]
const imageList = [
  'src/routes/_app/dashboard/maple/binary_images.tsx',
  'src/features/maple/connect/binary-image/binary-image.{list,labels}.tsx',
]
// Opens next to the list.
const imageParts = [
  'src/features/maple/connect/binary-image/**',
  'src/features/maple/base/roll-out.tsx',
  ...uploads,
]
const handlerList = [
  'src/routes/_app/dashboard/maple/cloud_handlers/index.tsx',
  'src/features/maple/program/cloud-handler/{cloud-handler.list,cloud-handler.labels}.tsx',
]
// Opens next to the list; also on the page of one handler.
const handlerPage = [
  'src/routes/_app/dashboard/maple/cloud_handlers/$id.tsx',
  'src/features/maple/program/cloud-handler/**',
]
const deviceHandlerList = [
  'src/routes/_app/dashboard/maple/device_handlers/index.tsx',
  'src/features/maple/program/device-handler/device-handler.list.tsx',
]
// Opens next to the list; also on the page of one handler.
const deviceHandlerPage = [
  'src/routes/_app/dashboard/maple/device_handlers/$id.tsx',
  'src/features/maple/program/device-handler/**',
  'src/features/maple/program/code/**',
  ...publishing,
]
const rolloutList = [
  'src/routes/_app/dashboard/maple/rollouts/index.tsx',
  'src/features/maple/rollout/{rollout.list,rollout.labels,progress-bar}.tsx',
]
// The page of one rollout, and the form of a new one.
const rolloutPage = [
  ...chosen,
  'src/routes/_app/dashboard/maple/rollouts/$id.tsx',
  'src/features/maple/rollout/**',
  'src/features/maple/program/template-values/**',
]
const sessionList = [
  'src/routes/_app/dashboard/maple/sessions/se/index.tsx',
  'src/features/maple/card/session/{session.list,session.form,session.labels}.tsx',
]
// The log of a session explains bytes like the dialog.
const commandForms = ['src/features/maple/card/command/**']
const sessionPage = [
  'src/routes/_app/dashboard/maple/sessions/se/$id.tsx',
  'src/features/maple/card/session/**',
  ...commandForms,
  ...decode,
]
// Opens next to the list; also the page of one template with its command forms.
const templatePage = [
  'src/routes/_app/dashboard/maple/templates/$id.tsx',
  'src/features/maple/program/template/**',
  ...choices,
  'src/features/maple/base/roll-out.tsx',
  ...batch,
  'src/features/maple/program/template-values/**',
  ...commandForms,
  ...decode,
]
// The texts of the audit trail, which Cedar’s activity uses too.
const event = ['src/ui/{event,history}/**', 'src/people/{event-*,person-filter}.tsx']
const system = ['src/routes/_app/dashboard/system/**', 'src/features/system/**']
// The texts of every event are three times those of the jobs.
const systemEvent = ['src/routes/_app/dashboard/system/events.tsx', 'src/features/system/event/**']
const docs = ['src/routes/_app/docs/**', 'src/features/docs/**']
const dev = ['src/routes/_app/dev/**', 'src/features/dev/**']
// Parts that open over a page or next to it (`withTexts`): a list is shown without them.
const parts = [
  'src/people/{person-name.tsx,person-field.tsx,use-device-name.ts}',
  'src/ui/table/{selection-bar,view-choices}.tsx',
  'src/ui/form/{form-shell,conflict-notice}.tsx',
  'src/ui/form/name-problem.ts',
  'src/ui/form/unsaved-changes.ts',
  'src/ui/kit/{date-range-panel,combobox-panel}.tsx',
  'src/ui/panel/**',
  'src/ui/dialog/**',
  'src/shell/palette/palette.tsx',
  'src/shell/palette/{create-labels,palette-sources,use-palette}.ts',
  'src/shell/{closed-page,inbox,shortcut-dialog}.tsx',
]
// The first page of the dashboard.
const home = ['src/routes/_app/dashboard/index.tsx', 'src/features/home/**']
// A list is shown before there is a problem to explain.
const problems = ['src/shell/{problem-texts,lost-connection,slow-refresh}.ts']

// Shown about services that are not Grove's own.
const foreign = ['src/session/foreign/**']

// The catalogue test extracts to a folder of its own.
const folder = process.env['GROVE_LOCALES'] ?? 'src/locales'

export default defineConfig({
  rootDir: import.meta.dirname,
  sourceLocale: 'en-US',
  locales: ['en-US', 'ru-RU'],
  catalogs: [
    { path: `${folder}/{locale}/messages`, include: visitor, exclude: foreign },
    { path: `${folder}/{locale}/foreign`, include: foreign },
    { path: `${folder}/{locale}/sign-in`, include: signIn, exclude: visitor },
    { path: `${folder}/{locale}/catalogue`, include: catalogue },
    {
      path: `${folder}/{locale}/account`,
      include: account,
      exclude: [
        ...people,
        ...invitation,
        'src/routes/_app/dashboard/cedar/account/people_/**',
        'src/features/auth/**',
      ],
    },
    { path: `${folder}/{locale}/people`, include: people },
    {
      path: `${folder}/{locale}/invitation`,
      include: [...invitation, 'src/features/auth/parts/**'],
    },
    {
      path: `${folder}/{locale}/person`,
      include: [
        ...person,
        ...event,
        'src/features/auth/parts/**',
        'src/features/auth/account/{account.labels,use-switch-account}.tsx',
        'src/features/system/parts/services.ts',
      ],
    },
    {
      path: `${folder}/{locale}/membership`,
      include: [...membership, 'src/features/cedar/parts/use-provider-name.ts'],
    },
    { path: `${folder}/{locale}/provider-request`, include: providerRequest },
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
      include: [...provider, 'src/features/cedar/parts/use-provider-name.ts'],
      exclude: providerParts,
    },
    {
      path: `${folder}/{locale}/provider-parts`,
      include: [
        ...providerParts,
        ...activity,
        'src/features/cedar/provider/provider.labels.tsx',
        'src/ui/panel/{panel-body,lost-connection}.tsx',
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
      exclude: [
        ...account,
        ...person,
        ...membership,
        ...providerRequest,
        ...product,
        ...provider,
        ...providerParts,
        ...publishKey,
        ...notification,
        ...activity,
      ],
    },
    {
      path: `${folder}/{locale}/maple`,
      include: maple,
      exclude: [
        ...mapleAccount,
        ...mapleApproval,
        ...mapleCard,
        ...mapleReader,
        ...mapleElement,
        ...secureParts,
        ...mapleDevice,
        ...mapleParts,
        ...mapleProvider,
        ...mapleProviderParts,
        ...mapleGroup,
        ...mapleBulk,
        ...mapleRevert,
        ...mapleImport,
        ...mapleKey,
        ...mapleOverview,
        ...sessionList,
        ...sessionPage,
        ...live,
        ...deviceParts,
        ...certificateParts,
        ...deviceSession,
        ...appletPage,
        ...appletList,
        ...deviceHandlerPage,
        ...deviceHandlerList,
        ...templatePage,
        ...templateList,
        ...scriptPage,
        ...scriptList,
        ...mapleProduct,
        ...imageList,
        ...imageParts,
        ...handlerPage,
        ...handlerList,
        ...rolloutPage,
        ...rolloutList,
      ],
    },
    { path: `${folder}/{locale}/maple-handlers`, include: handlerList },
    {
      path: `${folder}/{locale}/maple-handler`,
      include: [...handlerPage, ...programParts, ...live],
      exclude: [
        'src/features/maple/program/cloud-handler/cloud-handler.list.tsx',
        'src/features/maple/base/live/log-toggles.tsx',
      ],
    },
    { path: `${folder}/{locale}/maple-applets`, include: appletList },
    {
      path: `${folder}/{locale}/maple-product`,
      include: [...mapleProduct, ...certificateParts],
    },
    { path: `${folder}/{locale}/maple-images`, include: imageList },
    {
      path: `${folder}/{locale}/maple-image`,
      include: imageParts,
      exclude: ['src/features/maple/connect/binary-image/binary-image.list.tsx'],
    },
    { path: `${folder}/{locale}/maple-rollouts`, include: rolloutList },
    {
      path: `${folder}/{locale}/maple-rollout`,
      include: [...rolloutPage, 'src/features/maple/fleet/{device-words.ts,group-field.tsx}'],
      exclude: ['src/features/maple/rollout/rollout.list.tsx'],
    },
    {
      path: `${folder}/{locale}/maple-applet`,
      include: [
        ...appletPage,
        'src/features/maple/card/mismatch-text.ts',
        'src/ui/panel/lost-connection.tsx',
      ],
      exclude: ['src/features/maple/card/applet/applet.list.tsx'],
    },
    { path: `${folder}/{locale}/maple-templates`, include: templateList },
    {
      path: `${folder}/{locale}/maple-template`,
      include: [...templatePage, 'src/features/maple/card/faults/**'],
      exclude: ['src/features/maple/program/template/template.list.tsx'],
    },
    { path: `${folder}/{locale}/maple-device-handlers`, include: deviceHandlerList },
    {
      path: `${folder}/{locale}/maple-device-handler`,
      include: deviceHandlerPage,
      exclude: ['src/features/maple/program/device-handler/device-handler.list.tsx'],
    },
    { path: `${folder}/{locale}/maple-scripts`, include: scriptList },
    {
      path: `${folder}/{locale}/maple-script`,
      include: scriptPage,
      exclude: ['src/features/maple/program/script/script.list.tsx'],
    },
    {
      path: `${folder}/{locale}/maple-sessions`,
      include: sessionList,
    },
    {
      path: `${folder}/{locale}/maple-session`,
      include: [...sessionPage, ...live, ...secureParts],
      exclude: ['src/features/maple/card/session/session.{list,form}.tsx'],
    },
    {
      path: `${folder}/{locale}/maple-device`,
      include: [...mapleDevice, ...deviceParts, ...certificateParts, ...event],
    },
    {
      path: `${folder}/{locale}/maple-device-session`,
      include: [
        ...deviceSession,
        ...deviceParts,
        ...live,
        'src/ui/panel/{panel-body,lost-connection}.tsx',
      ],
    },
    { path: `${folder}/{locale}/decode`, include: decode },
    { path: `${folder}/{locale}/maple-card`, include: mapleCard },
    { path: `${folder}/{locale}/maple-reader`, include: mapleReader },
    { path: `${folder}/{locale}/maple-account`, include: mapleAccount, exclude: mapleParts },
    { path: `${folder}/{locale}/maple-approval`, include: mapleApproval },
    {
      path: `${folder}/{locale}/maple-element`,
      include: [
        ...mapleElement,
        ...secureParts,
        ...event,
        'src/ui/panel/{panel-body,lost-connection}.tsx',
        'src/features/maple/fleet/connection.labels.tsx',
      ],
    },
    { path: `${folder}/{locale}/maple-provider`, include: mapleProvider },
    {
      path: `${folder}/{locale}/maple-service`,
      include: [
        ...mapleProviderParts,
        ...rights,
        ...event,
        'src/features/maple/access/keys/**',
        'src/ui/panel/{panel-body,lost-connection}.tsx',
      ],
      exclude: ['src/features/maple/access/service/service.list.tsx'],
    },
    { path: `${folder}/{locale}/maple-key`, include: mapleKey },
    { path: `${folder}/{locale}/maple-parts`, include: mapleParts },
    {
      path: `${folder}/{locale}/maple-group`,
      include: [
        ...mapleGroup,
        'src/features/maple/fleet/{device-tabs.tsx,device-words.ts,seen-words.ts}',
        'src/features/maple/base/choice.tsx',
      ],
    },
    {
      path: `${folder}/{locale}/maple-import`,
      include: [
        ...mapleImport,
        ...mapleBulk,
        ...mapleRevert,
        'src/features/maple/fleet/{device-words,seen-words}.ts',
      ],
    },
    {
      path: `${folder}/{locale}/maple-overview`,
      include: [
        ...mapleOverview,
        'src/features/maple/fleet/{device-days.tsx,device-words.ts,seen-words.ts}',
        'src/features/maple/access/account/expiring-accounts.tsx',
        'src/features/maple/fleet/device-import/{recent-imports,device-import.labels}.tsx',
      ],
    },
    { path: `${folder}/{locale}/system`, include: system, exclude: systemEvent },
    {
      path: `${folder}/{locale}/system-event`,
      include: [...systemEvent, ...event, 'src/features/system/parts/**'],
      exclude: person,
    },
    { path: `${folder}/{locale}/dev`, include: dev },
    { path: `${folder}/{locale}/docs`, include: [...docs, 'src/ui/text/copy-button.tsx'] },
    { path: `${folder}/{locale}/problems`, include: problems },
    {
      path: `${folder}/{locale}/home`,
      include: [...home, ...activity, ...firstSteps, 'src/features/cedar/product/first-run.tsx'],
    },
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
        ...mapleProduct,
        ...system,
        ...event,
        ...dev,
        ...docs,
        ...problems,
        ...parts,
        ...home,
      ],
    },
  ],
  format: 'po',
  // Line numbers would change the catalogue with every edit of a page.
  formatOptions: { lineNumbers: false },
  orderBy: 'message',
})
