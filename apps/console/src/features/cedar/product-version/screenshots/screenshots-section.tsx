import { megabytes, maxScreenshots, screenshotLimits } from '@grove/contract/cedar/storage.rules'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { Trans, useLingui } from '@lingui/react/macro'
import { Globe } from 'lucide-react'
import { Section } from '../../../../ui/page/section.tsx'
import { locales } from '@grove/contract/locale.rules'
import { LocaleScreenshots } from './locale-screenshots.tsx'

export function ScreenshotsSection({ version }: { version: ProductVersion }) {
  const { t } = useLingui()
  const { leastSide, maxSide } = screenshotLimits
  const size = megabytes(screenshotLimits.bytes)
  return (
    <Section
      id="screenshots"
      title={t`Screenshots`}
      description={t`Up to ${maxScreenshots} for each language, PNG or JPEG, ${leastSide} to ${maxSide} pixels, up to ${size} MB. The first one is shown first.`}
    >
      {version.enabled && (
        <p className="form-notice">
          <Globe size={16} aria-hidden />
          <Trans>This version is live: each change here is immediately visible to everyone.</Trans>
        </p>
      )}
      {locales.map((locale) => (
        <LocaleScreenshots key={locale} version={version} locale={locale} />
      ))}
    </Section>
  )
}
