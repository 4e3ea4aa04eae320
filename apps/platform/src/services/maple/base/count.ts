/** A number that is counted up to a limit. */
export interface Count {
  value: number
  isCapped: boolean
}

export const countText = ({ value, isCapped }: Count): string =>
  isCapped ? `More than ${value}` : String(value)
