import { maxGroups, type GroupSizing } from '@grove/contract/maple/rollout/rollout.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { Plus, Trash2 } from 'lucide-react'
import { Field } from '../../../../ui/field/field.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import type { Form } from '../../../../ui/form/use-form.ts'
import { iconName } from '../../../../ui/kit/tooltip.ts'
import { useGroupName } from '../page.labels.tsx'
import { cardOptions } from '../rollout.api.ts'
import { WavePicture } from '../wave-picture.tsx'
import { ChosenOptions } from './chosen-options.tsx'
import styles from './form.module.css'
import { groupsOf, newGroup, type GroupDraft, type RolloutValues } from './rollout-values.ts'
import { useDeviceCount } from './target-step.tsx'

interface GroupsStepProps {
  form: Form<RolloutValues>
  /** Its devices come from another rollout. */
  known?: { total: number | undefined }
}

/** The groups in order, what pauses them, and a chart of how the rollout grows. */
export function GroupsStep({ form, known }: GroupsStepProps) {
  const { t } = useLingui()
  const { groups, kind } = form.values
  // An image is for devices, not for cards.
  const canaries = kind === 'image' ? [] : form.values.canaries
  const counted = useDeviceCount(form.values, known === undefined)
  const total = known ? known.total : counted
  const change = (key: string, part: Partial<GroupDraft>) =>
    form.set((now) => ({
      groups: now.groups.map((group) => (group.key === key ? { ...group, ...part } : group)),
    }))
  const add = () =>
    form.set((now) => ({
      groups: [
        ...now.groups.slice(0, -1),
        newGroup({ by: 'share', amount: 10 }),
        ...now.groups.slice(-1),
      ],
    }))
  const remove = (key: string) =>
    form.set((now) => ({ groups: now.groups.filter((group) => group.key !== key) }))
  return (
    <>
      <WavePicture
        plan={{ canaries: canaries.map(({ id }) => id), groups: groupsOf(groups) }}
        total={total}
      />
      {kind !== 'image' && (
        <ChosenOptions
          label={t`Software cards first (optional)`}
          add={t`Add a software card`}
          hint={t`They get it before any device, and the first failure pauses the rollout.`}
          chosen={canaries}
          options={cardOptions}
          error={form.errors['canaries']}
          onChange={(next) => form.set({ canaries: next })}
        />
      )}
      {groups.map((group, index) => (
        <GroupFields
          key={group.key}
          group={group}
          number={index + 1}
          isLast={index === groups.length - 1}
          errorOf={(field) => form.errors[`groups.${index}.${field}`]}
          onChange={(part) => change(group.key, part)}
          onRemove={groups.length > 1 ? () => remove(group.key) : undefined}
        />
      ))}
      {groups.length < maxGroups - 1 && (
        <button type="button" className={`button ${styles.add}`} onClick={add}>
          <Plus size={16} aria-hidden />
          <Trans>Add a group</Trans>
        </button>
      )}
    </>
  )
}

interface GroupFieldsProps {
  group: GroupDraft
  number: number
  isLast: boolean
  errorOf: (field: string) => string | undefined
  onChange: (part: Partial<GroupDraft>) => void
  onRemove: (() => void) | undefined
}

function GroupFields(props: GroupFieldsProps) {
  const { group, number, isLast, errorOf, onChange, onRemove } = props
  const { t } = useLingui()
  const name = useGroupName()(number)
  const words: Record<GroupSizing, string> = {
    share: t`Percent of all devices`,
    count: t`A number of devices`,
    rest: t`All remaining`,
  }
  const text = (field: 'amount' | 'success' | 'errorShare' | 'errorMinimum' | 'mostErrors') => ({
    inputMode: 'numeric' as const,
    value: group[field],
    error: errorOf(field),
    onChange: ({ target }: { target: { value: string } }) => onChange({ [field]: target.value }),
  })
  return (
    <fieldset className={styles.group}>
      <legend>{name}</legend>
      <div className={styles.row}>
        <SelectField
          label={t`Size`}
          value={group.by}
          words={words}
          onChange={(by) => onChange({ by })}
        />
        {group.by !== 'rest' && (
          <Field label={group.by === 'share' ? t`Percent` : t`Devices`} {...text('amount')} />
        )}
        {onRemove && (
          <button
            type="button"
            className="button quiet icon"
            {...iconName(t`Remove ${name}`)}
            onClick={onRemove}
          >
            <Trash2 size={16} aria-hidden />
          </button>
        )}
      </div>
      {errorOf('by') && <div className="field-error">{errorOf('by')}</div>}
      <details>
        <summary>
          <Trans>
            Pauses above {group.errorShare} % failures; the next group starts at {group.success} %
            success
          </Trans>
        </summary>
        <div className={styles.thresholds}>
          <Field
            label={t`Failures that pause it, in percent of finished devices`}
            {...text('errorShare')}
          />
          <Field label={t`Only after this many are finished`} {...text('errorMinimum')} />
          <Field label={t`Also at this many failures (optional)`} {...text('mostErrors')} />
          <Field label={t`Success before the next group, in percent`} {...text('success')} />
        </div>
      </details>
      {!isLast && (
        <label>
          <input
            type="checkbox"
            checked={group.pausesAfter}
            onChange={({ target }) => onChange({ pausesAfter: target.checked })}
          />{' '}
          <Trans>The next group is started by hand</Trans>
        </label>
      )}
    </fieldset>
  )
}
