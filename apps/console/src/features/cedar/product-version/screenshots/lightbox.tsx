import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { useLingui } from '@lingui/react/macro'
import { ArrowLeft, ArrowRight } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { imageAddress } from '../../../../session/image-address.ts'
import { Dialog } from '../../../../ui/dialog/dialog.tsx'
import { iconName } from '../../../../ui/kit/tooltip.ts'
import styles from './lightbox.module.css'

interface LightboxProps {
  images: ProductVersion['images']
  index: number
  /** The language of the screenshots, for the title. */
  language: string
  onIndex: (index: number) => void
  onClose: () => void
}

/** One screenshot as large as the window allows; the arrow keys show its neighbours. */
export function Lightbox({ images, index, language, onIndex, onClose }: LightboxProps) {
  const { t } = useLingui()
  const image = images[index]
  const count = images.length
  const position = index + 1
  const go = (to: number) => {
    if (to >= 0 && to < count) onIndex(to)
  }
  const onKeyDown = useEffectEvent(({ key }: KeyboardEvent) => {
    if (key === 'ArrowLeft') go(index - 1)
    if (key === 'ArrowRight') go(index + 1)
  })
  useEffect(() => {
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  const title = t`Screenshot ${position} of ${count}`
  if (!image) return null
  return (
    <Dialog
      size="content"
      title={title}
      subtitle={`${language}, ${image.width} × ${image.height}`}
      closeLabel={t`Close`}
      onClose={onClose}
    >
      <div className={styles.stage}>
        <button
          type="button"
          className="button icon"
          {...iconName(t`Previous screenshot`)}
          aria-disabled={index === 0}
          onClick={() => go(index - 1)}
        >
          <ArrowLeft size={16} aria-hidden />
        </button>
        <img
          key={image.id}
          src={imageAddress(image.url)}
          alt={title}
          width={image.width}
          height={image.height}
        />
        <button
          type="button"
          className="button icon"
          {...iconName(t`Next screenshot`)}
          aria-disabled={position === count}
          onClick={() => go(index + 1)}
        >
          <ArrowRight size={16} aria-hidden />
        </button>
      </div>
      <output className="visually-hidden">{title}</output>
    </Dialog>
  )
}
