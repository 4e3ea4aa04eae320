import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useRef } from 'react'
import { Combobox } from '../../../../ui/kit/combobox.tsx'
import type { ComboboxOption } from '../../../../ui/kit/combobox-options.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { useKeptFocus } from '../../../../ui/page/use-kept-focus.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import { useWork } from '../../../../ui/toast/use-work.ts'
import { ChosenList } from '../../base/chosen-list.tsx'
import { elementsOf, elementOptions, maxChosen, profileOptions } from './element-options.ts'
import styles from './element-choice.module.css'

interface ElementChoiceProps {
  chosen: readonly ComboboxOption[]
  onChange: (chosen: ComboboxOption[]) => void
}

/** The number shown individually. */
const maxShown = 12

/** The elements of an operation: searched and added one by one, or all of a profile at once. */
export function ElementChoice({ chosen, onChange }: ElementChoiceProps) {
  const { t } = useLingui()
  const { isBusy, start } = useWork()
  const part = useRef<HTMLDivElement>(null)
  useKeptFocus(part, chosen.length)
  const known = new Set(chosen.map(({ id }) => id))
  const add = (option: ComboboxOption | null) => {
    if (option && !known.has(option.id)) onChange([...chosen, option])
  }
  const addProfile = ({ id: profile }: ComboboxOption) =>
    start(async () => {
      const { options, isWhole } = await elementsOf(profile)
      const fresh = options.filter(({ id }) => !known.has(id))
      if (options.length === 0)
        return notify({ kind: 'failure', text: t`No element that you may use has this profile.` })
      const added = fresh.slice(0, maxChosen - chosen.length)
      onChange([...chosen, ...added])
      if (isWhole && added.length === fresh.length)
        notify({
          text: plural(added.length, {
            one: '# element is added.',
            other: '# elements are added.',
          }),
        })
      else
        notify({
          kind: 'failure',
          text: t`Only ${added.length} elements are added: a run has at most ${maxChosen}.`,
        })
    })
  const hidden = chosen.length - maxShown
  return (
    <div ref={part} className="field">
      <strong tabIndex={-1} data-focus>
        <Trans>Elements</Trans>
      </strong>
      <ChosenList
        chosen={chosen.slice(0, maxShown)}
        onRemove={(removed) => onChange(chosen.filter(({ id }) => id !== removed))}
      />
      {hidden > 0 && (
        <p className={styles.rest}>
          <span>{t`and ${hidden} more`}</span>
          <button type="button" className="button quiet" onClick={() => onChange([])}>
            <Trans>Remove all</Trans>
          </button>
        </p>
      )}
      <Combobox
        label={t`Add an element`}
        placeholder={t`Add an element`}
        value={null}
        options={elementOptions}
        onChange={add}
      />
      <Combobox
        label={t`Add the elements of a profile`}
        placeholder={isBusy ? t`Adding…` : t`Add the elements of a profile`}
        value={null}
        options={profileOptions}
        onChange={(profile) => profile && void addProfile(profile)}
      />
      {chosen.length === 0 && (
        <div className="field-hint">
          <Trans>
            No element at hand?{' '}
            <Link to="/dashboard/maple/software_cards" search={{ create: true }}>
              Create a software card
            </Link>
            : it needs no chip.
          </Trans>
        </div>
      )}
    </div>
  )
}
