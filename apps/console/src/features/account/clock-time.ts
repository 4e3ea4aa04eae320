/** A duration as a clock shows it: `0:09`, `12:05`, `1:00:00`. */
export function clockTime(milliseconds: number): string {
  const all = Math.max(0, Math.ceil(milliseconds / 1000))
  const two = (part: number) => String(part).padStart(2, '0')
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`
}
