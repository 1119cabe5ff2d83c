// libzip, loaded when the first .npz is read: with what it links in its turn (OpenSSL), it would take as long to load
// as the rest of the program. Only npz.cpp includes this.
#pragma once

#include <zip.h>

namespace opref {

/// A library that is loaded when this is made; a `system` error if that fails. It stays loaded.
class LateLibrary {
 public:
  explicit LateLibrary(const char* name);

 protected:
  void* address(const char* function) const;

 private:
  void* handle_;
};

/// The functions of libzip that are used, by their own names.
struct LibZip : LateLibrary {
  LibZip();

#define OPREF_FUNCTION(name) decltype(&::name) name = reinterpret_cast<decltype(&::name)>(address(#name))
  OPREF_FUNCTION(zip_discard);
  OPREF_FUNCTION(zip_error_code_zip);
  OPREF_FUNCTION(zip_error_fini);
  OPREF_FUNCTION(zip_error_init);
  OPREF_FUNCTION(zip_error_strerror);
  OPREF_FUNCTION(zip_fclose);
  OPREF_FUNCTION(zip_file_get_error);
  OPREF_FUNCTION(zip_fopen_index);
  OPREF_FUNCTION(zip_fread);
  OPREF_FUNCTION(zip_get_error);
  OPREF_FUNCTION(zip_get_name);
  OPREF_FUNCTION(zip_get_num_entries);
  OPREF_FUNCTION(zip_open_from_source);
  OPREF_FUNCTION(zip_source_buffer_create);
  OPREF_FUNCTION(zip_source_free);
  OPREF_FUNCTION(zip_stat_index);
#undef OPREF_FUNCTION
};

const LibZip& libzip();

}  // namespace opref
