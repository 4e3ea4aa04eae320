import type { MapleProduct } from '@grove/contract/maple/connect/product'
import {
  maxModelLength,
  maxProductNameLength,
  maxRevisionLength,
  maxRevisions,
} from '@grove/contract/maple/connect/product.rules'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../../session/api.ts'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { codeField, type FormFields } from '../../../../ui/form/fields.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import type { Form } from '../../../../ui/form/use-form.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { EditItem } from '../../../../ui/panel/edit-item.tsx'
import { handlersQuery, imagesQuery, products, profilesQuery } from './product.api.ts'

/** As the form holds them: revisions separated by commas, no choice is an empty text. */
interface ProductValues {
  name: string
  model: string
  revisions: string
  profileId: string
  imageId: string
  handlerId: string
}

const revisionsOf = (text: string) =>
  text
    .split(',')
    .map((revision) => revision.trim())
    .filter((revision) => revision !== '')

const bodyOf = ({ name, model, revisions, profileId, imageId, handlerId }: ProductValues) => ({
  name,
  model: model.trim() || null,
  revisions: revisionsOf(revisions),
  profileId: profileId || null,
  imageId: imageId || null,
  handlerId: handlerId || null,
})

/** A new product; its page opens, where its claim codes are created. */
export function CreateProduct({ onClose }: NewItem) {
  const { t } = useLingui()
  const navigate = useNavigate()
  return (
    <CreateItem<ProductValues, MapleProduct>
      onClose={onClose}
      onCreated={(id) => void navigate({ to: '/dashboard/maple/products/$id', params: { id } })}
      items={products}
      title={t`New product`}
      submitLabel={t`Create`}
      savedText={() => t`The product is created.`}
      fields={useProductFields()}
      form={{
        values: { name: '', model: '', revisions: '', profileId: '', imageId: '', handlerId: '' },
        submit: (values) => api.maple.post('/api/maple/products', { body: bodyOf(values) }),
      }}
    >
      {(form) => <Defaults form={form} productId={null} />}
    </CreateItem>
  )
}

export function EditProduct({ product, onEnd }: { product: MapleProduct; onEnd: () => void }) {
  const { t } = useLingui()
  return (
    <EditItem
      items={products}
      item={product}
      valuesOf={({ name, model, revisions, profileId, imageId, handlerId }): ProductValues => ({
        name,
        model: model ?? '',
        revisions: revisions.join(', '),
        profileId: profileId ?? '',
        imageId: imageId ?? '',
        handlerId: handlerId ?? '',
      })}
      fields={useProductFields()}
      form={{
        submit: (values, _from, ifMatch) =>
          api.maple.put('/api/maple/products/{id}', {
            params: { id: product.id },
            ...ifMatch,
            body: bodyOf(values),
          }),
      }}
      labels={{
        profileId: t`Profile of its secure elements`,
        imageId: t`Default image`,
        handlerId: t`Device handler`,
      }}
      onEnd={onEnd}
    >
      {(form) => <Defaults form={form} productId={product.id} />}
    </EditItem>
  )
}

interface DefaultsProps {
  form: Form<ProductValues>
  productId: string | null
}

function Defaults({ form, productId }: DefaultsProps) {
  const { t } = useLingui()
  const { data: profiles } = useQuery(profilesQuery())
  const { data: images } = useQuery(imagesQuery())
  const { data: handlers } = useQuery(handlersQuery())
  const { profileId, imageId, handlerId } = form.values
  const offered = (images?.items ?? []).filter(
    (image) =>
      image.id === imageId ||
      ((image.state === 'verified' || image.state === 'released') &&
        (image.productId === null || image.productId === productId)),
  )
  const none = t({ message: 'None', context: 'nothing is chosen' })
  return (
    <>
      <SelectField
        label={t`Profile of its secure elements`}
        value={profileId}
        words={{
          '': none,
          ...Object.fromEntries((profiles?.items ?? []).map(({ id, name }) => [id, name])),
        }}
        onChange={(chosen) => form.set({ profileId: chosen })}
      />
      <SelectField
        label={t`Default image`}
        value={imageId}
        words={{
          '': none,
          ...Object.fromEntries(offered.map(({ id, name, version }) => [id, `${name} ${version}`])),
        }}
        onChange={(chosen) => form.set({ imageId: chosen })}
      />
      <SelectField
        label={t`Device handler`}
        value={handlerId}
        words={{
          '': none,
          ...Object.fromEntries((handlers?.items ?? []).map(({ id, name }) => [id, name])),
        }}
        onChange={(chosen) => form.set({ handlerId: chosen })}
      />
    </>
  )
}

function useProductFields() {
  const { t } = useLingui()
  return {
    name: useNameField(maxProductNameLength),
    model: {
      label: t`Model (optional)`,
      hint: t`Such as the number on its label`,
      maxLength: maxModelLength,
      ...codeField,
    },
    revisions: {
      label: t`Hardware revisions (optional)`,
      hint: t`Separated by commas, oldest first`,
      problemOf: (text) => {
        const all = revisionsOf(text)
        if (all.length > maxRevisions) return t`Enter at most ${maxRevisions} revisions.`
        return all.some(({ length }) => length > maxRevisionLength)
          ? t`A revision can have at most ${maxRevisionLength} characters.`
          : undefined
      },
      ...codeField,
    },
  } satisfies FormFields<ProductValues>
}
