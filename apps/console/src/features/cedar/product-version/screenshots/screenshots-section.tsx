import type { ProductVersion } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { Section } from '../../parts/section.tsx'
import { locales } from '../../parts/translations.ts'
import { LocaleScreenshots } from './locale-screenshots.tsx'

export function ScreenshotsSection({ version }: { version: ProductVersion }) {
  const { t } = useLingui()
  return (
    <Section
      title={t`Screenshots`}
      description={t`Up to 8 for each language, PNG or JPEG, 320 to 3840 pixels, up to 8 MB. The first one is shown first.`}
    >
      {locales.map((locale) => (
        <LocaleScreenshots key={locale} version={version} locale={locale} />
      ))}
    </Section>
  )
}
