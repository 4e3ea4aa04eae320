import type {
  BodyOf,
  Call,
  CallKey,
  Calls,
  FormOf,
  ParamsOf,
  QueryOf,
  ResponseOf,
} from '@grove/contract'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

type KeysOf<M extends Method> = Extract<keyof Calls, `${M} ${string}`>

/** The paths that a method can call. */
export type PathOf<M extends Method> = KeysOf<M> extends `${M} ${infer P}` ? P : never

type CallOf<M extends Method, P extends string> = `${M} ${P}` extends keyof Calls
  ? Calls[`${M} ${P}`] extends Call
    ? Calls[`${M} ${P}`]
    : never
  : never

/** A member that is required, optional or absent as the schema says. */
type Member<K extends string, T> = [T] extends [undefined]
  ? { [key in K]?: undefined }
  : Record<string, never> extends T
    ? { [key in K]?: T }
    : { [key in K]: T }

export type OptionsOf<M extends Method, P extends string> = Member<
  'params',
  ParamsOf<CallOf<M, P>>
> &
  Member<'query', QueryOf<CallOf<M, P>>> &
  Member<'body', BodyOf<CallOf<M, P>>> & {
    signal?: AbortSignal
    /** The `revision` that was read: the save is refused when someone else saved since. */
    ifMatch?: number
  }

export type AnswerOf<M extends Method, P extends string> = ResponseOf<CallOf<M, P>>

type UploadKey = {
  [K in CallKey & keyof Calls]: Calls[K] extends { form: object } ? K : never
}[CallKey & keyof Calls]
export type UploadPath = UploadKey extends `POST ${infer P}` ? P : never
export type FormFieldsOf<P extends UploadPath> = FormOf<CallOf<'POST', P>>

/** Arguments may be left out when nothing in them is required. */
export type OptionalArgument<O> = Record<string, never> extends O ? [options?: O] : [options: O]
