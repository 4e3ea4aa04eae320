import { defaultLocale } from '@grove/contract/locale.rules'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { isKnown } from '../../parts/is-known.ts'

export const stepNames = ['package', 'listing', 'screenshots', 'release'] as const
export type StepName = (typeof stepNames)[number]

/** `recommended`: a version can go live without it. `unknown`: a third-party service does not say. */
export type StepState = 'done' | 'recommended' | 'todo' | 'checking' | 'refused' | 'unknown'

export interface Gap {
  step: StepName
  text: MessageDescriptor
  /** Whether a version can go live with it. */
  isOptional?: true
}

/** What a version lacks, and the step that provides it. */
export function gapsOf(version: ProductVersion): Gap[] {
  const { state, package: file, translations, images } = version
  const textsIn = (locale: string) => translations.find(({ localeCode }) => localeCode === locale)
  const [english, russian] = [textsIn(defaultLocale), textsIn('ru-RU')]
  const gaps: Gap[] = []
  if (file === null)
    gaps.push({
      step: 'package',
      text:
        state === 'checking'
          ? msg`Wait until the package is checked.`
          : state === 'failed_checks'
            ? msg`Upload a package that passes its checks.`
            : msg`Upload a package.`,
    })
  if (!version.enabled && hasMissing(version))
    gaps.push({ step: 'package', text: permissionText(version) })
  if (!english) gaps.push({ step: 'listing', text: msg`Add a title in English.` })
  else if (!english.description)
    gaps.push({ step: 'listing', text: msg`Add a description in English.`, isOptional: true })
  if (!russian)
    gaps.push({ step: 'listing', text: msg`Add the texts in Russian.`, isOptional: true })
  else if (!russian.description)
    gaps.push({ step: 'listing', text: msg`Add a description in Russian.`, isOptional: true })
  if (images.length === 0)
    gaps.push({ step: 'screenshots', text: msg`Add screenshots.`, isOptional: true })
  return gaps
}

// A third-party Cedar may say nothing about permissions.
const hasMissing = ({ missingPermissions: missing = [] }: Partial<ProductVersion>) =>
  missing.length > 0

function permissionText({ missingPermissions }: ProductVersion): MessageDescriptor {
  const names = missingPermissions.join(', ')
  return msg`Ask an administrator to grant ${names} to the provider, or leave it out of the manifest.`
}

export function stateOf(version: ProductVersion, step: StepName): StepState {
  if (step === 'release') return version.enabled ? 'done' : 'todo'
  const gaps = gapsOf(version).filter((gap) => gap.step === step)
  if (step === 'package' && !isKnown(version.package)) return 'unknown'
  if (gaps.length === 0) return 'done'
  if (step === 'package' && version.state === 'checking') return 'checking'
  if (step === 'package' && version.state === 'failed_checks') return 'refused'
  return gaps.every(({ isOptional }) => isOptional) ? 'recommended' : 'todo'
}

const needed = {
  package_missing: msg`Upload a package.`,
  permission_missing: msg`Ask an administrator for the permissions of the package.`,
  translation_missing: msg`Add a title in English.`,
} satisfies Record<NonNullable<ProductVersion['rights']['enable']>, MessageDescriptor>

/** What prevents a version from going live. */
export function blockerOf(version: ProductVersion): MessageDescriptor | undefined {
  const { enable } = version.rights
  if (enable === null) return undefined
  return gapsOf(version).find(({ isOptional }) => !isOptional)?.text ?? needed[enable]
}
