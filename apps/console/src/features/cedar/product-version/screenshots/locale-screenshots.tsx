import { maxScreenshots, screenshotLimits } from '@grove/contract/cedar/storage.rules'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { useLingui } from '@lingui/react/macro'
import { ImagePlus } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { useFileChoice } from '../../../../ui/file/use-file-choice.tsx'
import { useFileDrop } from '../../../../ui/file/use-file-drop.ts'
import { localeNames, type Locale } from '../../../../ui/i18n/locale.ts'
import { imageTypes, refusalOf } from '../../parts/image-problem.ts'
import { cacheVersion } from '../product-version.api.ts'
import { useUploadGuard } from '../../parts/use-upload-guard.ts'
import { tooltip } from '../../../../ui/kit/tooltip.ts'
import styles from './locale-screenshots.module.css'
import { QueuedUploads } from './queued-uploads.tsx'
import { ScreenshotList } from './screenshot-list.tsx'
import { useUploadQueue } from './use-upload-queue.ts'

interface LocaleScreenshotsProps {
  version: ProductVersion
  locale: Locale
}

export function LocaleScreenshots({ version, locale }: LocaleScreenshotsProps) {
  const { t } = useLingui()
  const { productVersionId } = version
  const images = version.images.filter(({ localeCode }) => localeCode === locale)

  const uploads = useUploadQueue(async (file, transfer) => {
    const refusal = await refusalOf(file, screenshotLimits)
    if (refusal) throw refusal
    const fields = { productVersionId, localeCode: locale }
    cacheVersion(
      await api.cedar.upload('/api/storage/productVersion/image', { fields, file, ...transfer }),
    )
  })
  useUploadGuard(uploads.isBusy)

  const isFull = images.length >= maxScreenshots
  const reason = isFull ? t`There are already ${maxScreenshots}, the limit.` : undefined
  const { isOver, dropProps } = useFileDrop({ onFiles: uploads.add, isDisabled: isFull })
  const { choose, input } = useFileChoice({
    accept: imageTypes,
    multiple: true,
    onFiles: uploads.add,
  })

  return (
    <div className={styles.locale} data-over={isOver || undefined} {...dropProps}>
      <div className={styles.head}>
        <h3>{localeNames[locale]}</h3>
        <span className="muted">
          {images.length} / {maxScreenshots}
        </span>
        <button
          type="button"
          className="button small"
          aria-disabled={isFull}
          {...tooltip(reason)}
          aria-label={t`Add screenshots, ${localeNames[locale]}`}
          onClick={() => !isFull && choose()}
        >
          <ImagePlus size={14} aria-hidden />
          {t`Add`}
        </button>
      </div>
      {input}
      <QueuedUploads {...uploads} />
      {images.length > 0 ? (
        <ScreenshotList version={version} locale={locale} images={images} />
      ) : (
        uploads.queue.length === 0 && (
          <p className={styles.empty}>{t`None yet. Add several at once, or drop them here.`}</p>
        )
      )}
    </div>
  )
}
