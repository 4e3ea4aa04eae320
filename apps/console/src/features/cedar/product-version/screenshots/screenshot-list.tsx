import type { ProductVersion } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { ArrowLeft, ArrowRight, X } from 'lucide-react'
import { useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import { api } from '../../../../session/api.ts'
import { imageAddress } from '../../../../session/image-address.ts'
import { problemText } from '../../../../api/problem-text.ts'
import { localeNames, type Locale } from '../../../../ui/i18n/locale.ts'
import { confirm } from '../../../../ui/dialog/confirm.tsx'
import { notify } from '../../../../ui/toast/notify.ts'
import { cacheVersion } from '../product-version.api.ts'
import { move } from './move.ts'
import { tooltip } from '../../../../ui/kit/tooltip.ts'
import styles from './screenshot-list.module.css'
import { useScreenshotOrder } from './use-screenshot-order.ts'

interface ScreenshotListProps {
  version: ProductVersion
  locale: Locale
  images: ProductVersion['images']
}

const steps: Partial<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }

/** Screenshots in their order: dragged, moved by their arrows, or by the arrow keys. */
export function ScreenshotList({ version, locale, images }: ScreenshotListProps) {
  const { t, i18n } = useLingui()
  const saveOrder = useScreenshotOrder(version, locale)
  const [dragged, setDragged] = useState<{ id: string; to: number }>()
  const [announcement, setAnnouncement] = useState('')
  const focused = useRef<HTMLElement>(null)

  const ids = images.map(({ id }) => id)
  const draggedFrom = dragged ? ids.indexOf(dragged.id) : -1
  const shown = dragged && draggedFrom >= 0 ? move(images, draggedFrom, dragged.to) : images

  const place = (from: number, to: number) => {
    if (to < 0 || to >= ids.length || from === to) return
    // A browser takes the focus off an element that changes its place in the document.
    focused.current = document.activeElement instanceof HTMLElement ? document.activeElement : null
    saveOrder(move(ids, from, to))
    const position = to + 1
    setAnnouncement(t`Screenshot moved to place ${position} of ${ids.length}.`)
  }
  const order = ids.join()
  const orderBefore = useRef(order)
  useLayoutEffect(() => {
    if (orderBefore.current === order) return
    orderBefore.current = order
    focused.current?.focus()
    focused.current = null
  })

  const removal = useMutation({
    mutationFn: (id: string) =>
      api.cedar.delete('/api/storage/productVersion/image', { query: { id } }),
    onSuccess: (changed) => cacheVersion(changed),
    onError: (error) => notify({ kind: 'failure', text: problemText(error, i18n) }),
  })
  const remove = async (id: string, position: number) => {
    const language = localeNames[locale]
    const agreed = await confirm({
      title: t`Remove this screenshot?`,
      text: t`Screenshot ${position} (${language}) is deleted.`,
      action: t`Remove`,
      isDanger: true,
    })
    if (agreed) removal.mutate(id)
  }

  return (
    <>
      <ol className={styles.list}>
        {shown.map(({ id, url, width, height }, index) => {
          const position = index + 1
          const onKeyDown = (event: KeyboardEvent) => {
            const step = steps[event.key]
            if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return
            event.preventDefault()
            place(index, index + step)
          }
          return (
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the buttons inside do the same
            <li
              key={id}
              draggable
              data-dragged={dragged?.id === id || undefined}
              onKeyDown={onKeyDown}
              onDragStart={(event) => {
                event.dataTransfer.effectAllowed = 'move'
                event.dataTransfer.setData('text/plain', String(position))
                setDragged({ id, to: index })
              }}
              onDragEnter={() => dragged && setDragged({ ...dragged, to: index })}
              onDragOver={(event) => dragged && event.preventDefault()}
              onDrop={(event) => {
                if (!dragged) return
                event.preventDefault()
                place(draggedFrom, dragged.to)
              }}
              onDragEnd={() => setDragged(undefined)}
            >
              <img
                src={imageAddress(url)}
                alt={t`Screenshot ${position}`}
                {...tooltip(`${width} × ${height}`)}
                width={width}
                height={height}
                loading="lazy"
                draggable={false}
              />
              <div className={styles.tools}>
                <button
                  type="button"
                  className="button quiet icon small"
                  aria-label={t`Move screenshot ${position} earlier`}
                  {...tooltip(t`Move earlier`)}
                  aria-disabled={index === 0}
                  onClick={() => place(index, index - 1)}
                >
                  <ArrowLeft size={14} aria-hidden />
                </button>
                <button
                  type="button"
                  className="button quiet icon small"
                  aria-label={t`Move screenshot ${position} later`}
                  {...tooltip(t`Move later`)}
                  aria-disabled={index === shown.length - 1}
                  onClick={() => place(index, index + 1)}
                >
                  <ArrowRight size={14} aria-hidden />
                </button>
                <button
                  type="button"
                  className="button quiet icon small"
                  aria-label={t`Remove screenshot ${position}`}
                  {...tooltip(t`Remove`)}
                  aria-disabled={removal.isPending}
                  onClick={() => !removal.isPending && void remove(id, position)}
                >
                  <X size={14} aria-hidden />
                </button>
              </div>
            </li>
          )
        })}
      </ol>
      <output className="visually-hidden">{announcement}</output>
    </>
  )
}
