import type { Device } from '@grove/contract/maple/fleet/device'

/** The elements of a device; a third-party service may not list them. */
export const elementsOf = ({ elements = [] }: Partial<Device>) => elements

export const cplcsIn = (device: Device): string[] => elementsOf(device).map(({ cplc }) => cplc)

export const isElementsKnown = ({ elements }: Partial<Device>): boolean => elements !== undefined
