import { Trans, useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect, useId, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react'
import { keepRecent } from '../../session/recent.ts'
import type { Entry } from './palette-sources.ts'
import styles from './palette.module.css'
import { usePalette } from './use-palette.ts'

interface PaletteProps {
  /** What was typed before there was a field. */
  typedSoFar: () => string
  onClose: () => void
}

/** Opens any page, app, device or person by name, ID or CPLC. */
export function Palette({ typedSoFar, onClose }: PaletteProps) {
  const { t } = useLingui()
  const router = useRouter()
  const dialog = useRef<HTMLDialogElement>(null)
  const listId = useId()
  const [text, setText] = useState(typedSoFar)
  const [chosen, setChosen] = useState(0)
  const { groups, isSearching, hasFailed, userId } = usePalette(text)
  const entries = groups.flatMap((group) => group.entries)
  const query = text.trim()
  const current = Math.min(chosen, entries.length - 1)

  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    // Closed before it is unmounted, so that the focus returns to where it was.
    return () => element?.close()
  }, [])
  useEffect(() => {
    document.getElementById(`${listId}-${current}`)?.scrollIntoView({ block: 'nearest' })
  }, [listId, current])

  const open = (entry: Entry) => {
    const { href } = entry
    onClose()
    // The hash belongs to this page, and may contain bytes that must not be stored.
    if (!href.includes('#')) keepRecent(userId, entry)
    void router.navigate({ href })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const last = entries.length - 1
    const next = {
      ArrowDown: current === last ? 0 : current + 1,
      ArrowUp: current <= 0 ? last : current - 1,
    }[event.key]
    if (next !== undefined) setChosen(next)
    else if (event.key === 'Enter' && entries[current]) open(entries[current])
    // The dialog's own close event comes later: a shortcut pressed before it would be lost.
    else if (event.key === 'Escape') onClose()
    else return
    event.preventDefault()
  }
  const closeOnBackdrop = (event: MouseEvent) => {
    if (event.target === dialog.current) onClose()
  }

  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Escape closes a dialog
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label={t`Search or jump to`}
      onClose={onClose}
      onClick={closeOnBackdrop}
    >
      <div className={styles.field}>
        <Search size={16} aria-hidden />
        <input
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={current >= 0 ? `${listId}-${current}` : undefined}
          aria-label={t`Search or jump to`}
          placeholder={t`Page, app, device, CPLC or email`}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setChosen(0)
          }}
          onKeyDown={onKeyDown}
        />
        <kbd>Esc</kbd>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- no element shows two columns and groups */}
      <div id={listId} role="listbox" aria-label={t`Results`} className={styles.list}>
        {groups.map((group) => (
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- groups of a listbox have no native element
          <div key={group.id} role="group" aria-label={group.label}>
            <div className={styles.label} aria-hidden>
              {group.label}
            </div>
            {group.entries.map((entry) => {
              const at = entries.indexOf(entry)
              return (
                // The field above keeps the focus and handles the keys.
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- it keeps the focus
                <div
                  key={entry.id}
                  id={`${listId}-${at}`}
                  // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an option element holds only text
                  role="option"
                  aria-selected={at === current}
                  className={styles.entry}
                  onMouseMove={() => setChosen(at)}
                  onClick={() => open(entry)}
                >
                  <bdi className={styles.title}>{entry.title}</bdi>
                  {entry.detail && <bdi className={styles.detail}>{entry.detail}</bdi>}
                </div>
              )
            })}
          </div>
        ))}
      </div>
      <output className={styles.status}>
        {isSearching ? (
          <Trans>Searching…</Trans>
        ) : hasFailed ? (
          <Trans>Part of the search failed. Try again in a moment.</Trans>
        ) : entries.length === 0 ? (
          <Trans>
            Nothing has a word that begins with “{query}”. Compared: names, IDs, CPLCs and emails.
          </Trans>
        ) : null}
      </output>
    </dialog>
  )
}
