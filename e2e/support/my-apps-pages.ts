import { expect, type Locator, type Page } from '@playwright/test'
import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import type { Locale, Titles } from './catalogue.ts'

const list = '/dashboard/cedar/mobile'
const languages = { 'en-US': 'English', 'ru-RU': 'Русский' } as const

/** A file from memory or from disk. */
type Chosen = string | string[] | { name: string; mimeType: string; buffer: Buffer }

export const zipFile = (name: string, buffer: Buffer) => ({
  name,
  mimeType: 'application/zip',
  buffer,
})

/** Chooses files in the dialog that a button opens. */
async function choose(page: Page, button: Locator, files: Chosen) {
  const chooser = page.waitForEvent('filechooser')
  await button.click()
  await (await chooser).setFiles(files)
}

export const notice = (page: Page) => page.getByRole('region', { name: /Notifications/ })
export const leaveByMenu = (page: Page) =>
  page.getByRole('link', { name: 'My apps' }).first().click()
export const missing = (page: Page) =>
  page.getByRole('heading', { name: 'App or version not found' })

export async function chooseLanguage(page: Page, locale: Locale) {
  await page.locator('aside [popovertarget]').click()
  await page.locator('[popover]:popover-open select').first().selectOption(locale)
  await page.keyboard.press('Escape')
}

/** The texts of an app or a version in both languages. */
function textFields(page: Page) {
  const form = page.locator('form', { has: page.getByRole('group', { name: 'English' }) })
  return {
    title: (locale: Locale) =>
      form.getByRole('group', { name: languages[locale] }).getByRole('textbox', { name: /^Title/ }),
    field: (locale: Locale, name: string) =>
      form
        .getByRole('group', { name: languages[locale] })
        .getByRole('textbox', { name, exact: true }),
    saveButton: form.getByRole('button', { name: 'Save' }),
    publish: () => form.getByRole('button', { name: 'Publish changes' }).click(),
    save: () => form.getByRole('button', { name: 'Save' }).click(),
    isSaved: form.getByText('Saved', { exact: true }),
    unsaved: form.getByText('Unsaved changes'),
    conflict: {
      text: form.getByRole('alert').getByText('Someone else saved changes'),
      field: (name: string) => form.getByRole('radiogroup', { name }),
      choose: (name: string, side: 'Theirs' | 'Yours') =>
        form
          .getByRole('radiogroup', { name })
          .getByRole('radio', { name: new RegExp(`^${side}`) })
          .check(),
    },
  }
}

export function appList(page: Page) {
  const dialog = page.getByRole('dialog', { name: 'New app' })
  return {
    path: list,
    dialog,
    open: () => page.goto(list),
    total: page.locator('section:has(> table) > footer > output'),
    table: page.getByRole('table', { name: 'Apps' }),
    row: (title: string) => page.getByRole('row', { name: title, exact: true }),
    link: (title: string) => page.getByRole('link', { name: title }),
    // In the header, and in the empty state as the first step.
    newApp: page.getByRole('button', { name: 'New app' }).first(),
    titleIn: (locale: Locale) =>
      dialog.getByRole('group', { name: languages[locale] }).getByRole('textbox'),
    createButton: dialog.getByRole('button', { name: 'Create' }),
    create: async (titles: Titles) => {
      await page.getByRole('button', { name: 'New app' }).first().click()
      for (const [locale, title] of Object.entries(titles))
        await dialog
          .getByRole('group', { name: languages[locale as Locale] })
          .getByRole('textbox')
          .fill(title)
      await dialog.getByRole('button', { name: 'Create' }).click()
    },
  }
}

export function appPage(page: Page) {
  const versions = page.getByRole('table', { name: 'Versions' })
  const dialog = page.getByRole('dialog', { name: 'New version' })
  const iconButton = page.getByRole('button', { name: /^(Add an|Change the) icon$/ })
  const deletion = page.getByRole('region', { name: 'Danger zone' })
  return {
    ...textFields(page),
    open: ({ productId }: Product, tab = '') => page.goto(`${list}/${productId}${tab}`),
    /** The pages of the app, by their links. */
    tab: (name: string) =>
      page.getByRole('navigation', { name: 'Parts of the app' }).getByRole('link', { name }),
    checklist: page.getByRole('region', { name: /^Before .* can go live$/ }),
    heading: page.getByRole('heading', { level: 1 }),
    icon: iconButton.locator('img'),
    iconFailure: page.getByRole('alert').filter({ hasText: 'Choose another file' }),
    chooseIcon: (file: string) => choose(page, iconButton, file),
    versions,
    newVersion: page.getByRole('button', { name: 'New version' }).first(),
    versionNumber: dialog.getByRole('textbox', { name: 'Number' }),
    createVersion: async (number: string) => {
      await page.getByRole('button', { name: 'New version' }).first().click()
      await dialog.getByRole('textbox', { name: 'Number' }).fill(number)
      await dialog.getByRole('button', { name: 'Create' }).click()
    },
    state: (number: string) =>
      versions.getByRole('row', { name: number, exact: true }).getByRole('cell').nth(1),
    live: versions.getByRole('cell', { name: 'Live', exact: true }),
    action: (name: string) => versions.getByRole('button', { name }),
    history: page.getByRole('region', { name: 'Release history' }).getByRole('listitem'),
    deletion,
    deleteApp: deletion.getByRole('button', { name: 'Delete the app' }),
  }
}

/** Reads where people find a version that has just gone live, and goes on. */
export async function closeRelease(page: Page, version: string) {
  const dialog = page.getByRole('dialog', { name: `Version ${version} is live` })
  await expect(dialog.getByRole('link', { name: 'Open the page' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
}

export function versionPage(page: Page) {
  const upload = page.getByRole('region', { name: /^(Package|Пакет)$/ })
  // The sticky bar: steps, state, difference and the switch.
  const release = page.locator('[data-bar]')
  const lightbox = page.getByRole('dialog', { name: /^Screenshot \d/ })
  const screenshots = page.getByRole('region', { name: 'Screenshots' })
  const finding = upload.getByRole('listitem')
  return {
    ...textFields(page),
    open: ({ productId, productVersionId }: ProductVersion) =>
      page.goto(`${list}/${productId}/${productVersionId}`),
    heading: page.getByRole('heading', { level: 1 }),
    package: upload,
    choosePackage: (file: Chosen) =>
      choose(page, upload.getByRole('button', { name: /^Choose|^Выбрать/ }), file),
    progress: upload.getByRole('progressbar'),
    failure: upload.getByRole('alert'),
    cancel: () => upload.getByRole('button', { name: 'Cancel' }).click(),
    tryAgain: () => upload.getByRole('button', { name: 'Try again' }).click(),
    finding,
    repair: () => upload.getByRole('button', { name: 'Fix it for me' }).click(),
    download: () => upload.getByRole('button', { name: /^(Download|Скачать)$/ }).click(),
    enable: release.getByRole('button', { name: 'Publish…' }),
    step: (name: string) => release.getByRole('link', { name: new RegExp(`^${name}`) }),
    part: (name: string) => page.getByRole('region', { name, exact: true }),
    preview: page.getByRole('complementary', { name: 'Preview' }),
    release,
    changes: page.getByRole('region', { name: /^Changes from/ }),
    addScreenshots: (locale: Locale, files: string[]) =>
      choose(
        page,
        screenshots.getByRole('button', { name: `Add screenshots, ${languages[locale]}` }),
        files,
      ),
    screenshots: screenshots.getByRole('img', { name: /^Screenshot \d/ }),
    enlarge: (position: number) =>
      screenshots
        .getByRole('button', { name: `Enlarge screenshot ${position}` })
        .first()
        .click(),
    lightbox,
    handle: (position: number) =>
      screenshots.getByRole('button', { name: `Move screenshot ${position}`, exact: true }).first(),
    removeScreenshot: (position: number) =>
      screenshots
        .getByRole('button', { name: `Remove screenshot ${position}` })
        .first()
        .click(),
  }
}
