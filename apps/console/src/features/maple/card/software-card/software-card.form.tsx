import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import {
  defaultCardKind,
  maxCardNameLength,
  maxSeedLength,
  type CardKind,
} from '@grove/contract/maple/card/software-card.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { codeField, type FormFields } from '../../../../ui/form/fields.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { EditItem } from '../../../../ui/panel/edit-item.tsx'
import { cards, path } from './software-card.api.ts'
import { useKindWords } from './software-card.labels.tsx'

interface CardValues {
  name: string
  seed: string
  kind: CardKind
}

export function CreateCard(panel: NewItem) {
  const { t } = useLingui()
  const words = useKindWords()
  return (
    <CreateItem<CardValues, SoftwareCard>
      {...panel}
      items={cards}
      title={t`New software card`}
      submitLabel={t`Create`}
      savedText={() => t`The card is ready.`}
      fields={useCardFields()}
      form={{
        values: { name: '', seed: '', kind: defaultCardKind },
        submit: ({ name, seed, kind }) =>
          api.maple.post(path, { body: { name, kind, ...(seed !== '' && { seed }) } }),
      }}
    >
      {(form) => (
        <SelectField
          label={t`Kind`}
          value={form.values.kind}
          words={words}
          onChange={(kind) => form.set({ kind })}
        />
      )}
    </CreateItem>
  )
}

export function EditCard({ card, onEnd }: { card: SoftwareCard; onEnd: () => void }) {
  const { name: nameField } = useCardFields()
  return (
    <EditItem
      items={cards}
      item={card}
      valuesOf={({ name }) => ({ name })}
      fields={{ name: nameField }}
      form={{
        submit: ({ name }, _from, ifMatch) =>
          api.maple.put(path, { query: { id: card.id }, ...ifMatch, body: { name } }),
      }}
      onEnd={onEnd}
    />
  )
}

function useCardFields() {
  const { t } = useLingui()
  return {
    name: useNameField(maxCardNameLength),
    seed: {
      label: t`Seed (optional)`,
      hint: t`Cards with the same seed behave identically. Without a seed, the card is unique.`,
      maxLength: maxSeedLength,
      ...codeField,
    },
  } satisfies FormFields<CardValues>
}
