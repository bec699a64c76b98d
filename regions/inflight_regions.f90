! The calls of inflight.h for Fortran 2003 and later: compile this file with the program, and link with -linflight_regions.
!
!     use inflight_regions
!     call inflight_region_begin("sweep")
!     ...
!     call inflight_region_bytes("sweep", bytes_read=8d0 * n, bytes_written=8d0 * n)
!     call inflight_region_end("sweep")
!
! Names are given as they are; blanks at their end do not count, and of long ones the first 127 characters.
!
! Copyright: the inflight project, Apache License 2.0.
module inflight_regions
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_char
  implicit none
  private
  public :: inflight_region_begin, inflight_region_end, inflight_region_bytes, inflight_region_access, inflight_regions_active

  integer, parameter :: name_length = 127

  interface
    subroutine c_begin(name) bind(c, name="inflight_region_begin")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine c_begin
    subroutine c_end(name) bind(c, name="inflight_region_end")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine c_end
    subroutine c_bytes(name, bytes_read, bytes_written) bind(c, name="inflight_region_bytes")
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: bytes_read, bytes_written
    end subroutine c_bytes
    subroutine c_access(name, random_share) bind(c, name="inflight_region_access")
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: random_share
    end subroutine c_access
    function c_active() result(active) bind(c, name="inflight_regions_active")
      import :: c_int
      integer(c_int) :: active
    end function c_active
  end interface

contains

  ! While nothing is recorded no name is copied.
  logical function inflight_regions_active()
    inflight_regions_active = c_active() /= 0
  end function inflight_regions_active

  subroutine to_c(name, text)
    character(len=*), intent(in) :: name
    character(kind=c_char), intent(out) :: text(name_length + 1)
    integer :: i, length
    length = min(len_trim(name), name_length)
    do i = 1, length
      text(i) = name(i:i)
    end do
    text(length + 1) = c_null_char
  end subroutine to_c

  subroutine inflight_region_begin(name)
    character(len=*), intent(in) :: name
    character(kind=c_char) :: text(name_length + 1)
    if (c_active() == 0) return
    call to_c(name, text)
    call c_begin(text)
  end subroutine inflight_region_begin

  subroutine inflight_region_end(name)
    character(len=*), intent(in) :: name
    character(kind=c_char) :: text(name_length + 1)
    if (c_active() == 0) return
    call to_c(name, text)
    call c_end(text)
  end subroutine inflight_region_end

  ! Through memory, of this execution and this thread; either may be left out.
  subroutine inflight_region_bytes(name, bytes_read, bytes_written)
    character(len=*), intent(in) :: name
    real(c_double), intent(in), optional :: bytes_read, bytes_written
    character(kind=c_char) :: text(name_length + 1)
    real(c_double) :: moved(2)
    if (c_active() == 0) return
    moved = 0
    if (present(bytes_read)) moved(1) = bytes_read
    if (present(bytes_written)) moved(2) = bytes_written
    call to_c(name, text)
    call c_bytes(text, moved(1), moved(2))
  end subroutine inflight_region_bytes

  subroutine inflight_region_access(name, random_share)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: random_share
    character(kind=c_char) :: text(name_length + 1)
    if (c_active() == 0) return
    call to_c(name, text)
    call c_access(text, random_share)
  end subroutine inflight_region_access

end module inflight_regions
